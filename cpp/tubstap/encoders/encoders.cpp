// The encoders, compiled once for all sizes of boards.
#include <algorithm>

#include "tubstap/encoders/policy_encoder.h"
#include "tubstap/encoders/value_encoder.h"

namespace sandtable::tubstap {

template <class Size>
void ValueEncoder::add(const State<Size>& state, Batch& batch) const {
  const std::size_t begin = batch.states * batch.floats, end = begin + batch.floats;
  if (batch.values.size() < end) batch.values.resize(std::max(end, 2 * batch.values.size()));
  std::visit([&](const auto& encoder) { encoder.encode(state, batch.values.data() + begin); }, encoder_);
  ++batch.states;
}

template void ValueEncoder::add(const State<Small>&, Batch&) const;
template void ValueEncoder::add(const State<Compact>&, Batch&) const;
template void ValueEncoder::add(const State<Medium>&, Batch&) const;
template void ValueEncoder::add(const State<Wide>&, Batch&) const;
template void ValueEncoder::add(const State<Large>&, Batch&) const;

template <class Size>
void PolicyEncoder::add(const PolicyQuestion<Size>& question, Batch& batch) const {
  std::visit([&](auto& arrays) { arrays.add(question.state, question.moves); }, batch.arrays);
}

template void PolicyEncoder::add(const PolicyQuestion<Small>&, Batch&) const;
template void PolicyEncoder::add(const PolicyQuestion<Compact>&, Batch&) const;
template void PolicyEncoder::add(const PolicyQuestion<Medium>&, Batch&) const;
template void PolicyEncoder::add(const PolicyQuestion<Wide>&, Batch&) const;
template void PolicyEncoder::add(const PolicyQuestion<Large>&, Batch&) const;

}  // namespace sandtable::tubstap
