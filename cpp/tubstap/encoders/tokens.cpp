#include "tubstap/encoders/tokens.h"

namespace sandtable::tubstap {

template void TokenBatch::add(const State<Small>&, std::span<const Operation>);
template void TokenBatch::add(const State<Compact>&, std::span<const Operation>);
template void TokenBatch::add(const State<Medium>&, std::span<const Operation>);
template void TokenBatch::add(const State<Large>&, std::span<const Operation>);

}  // namespace sandtable::tubstap
