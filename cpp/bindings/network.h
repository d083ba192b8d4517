// Python functions as the networks of evaluators (evaluation/evaluator.h): a batch is passed as arrays that are not
// copied, and the answer is checked and copied.
#pragma once

#include <span>

#include "bindings/python.h"
#include "evaluation/evaluator.h"

namespace sandtable {

// The batches of an encoder as Python sees them. A specialisation has
//   inputs(batch, owner)  the arrays of a batch, whose memory `owner` keeps alive: the arguments of the network
//   kAnswer               a description of the expected answer, for the error message
//   kShapes               whether arrays with the right number of values but another shape are refused
template <class Encoder>
struct PythonArrays;

template <class Encoder>
nb::tuple inputs_of(const std::shared_ptr<typename Encoder::Batch>& batch) {
  return PythonArrays<Encoder>::inputs(*batch, keep(batch));
}

// Copies an array of float32 that has the output's size and, if `shapes`, its shape. Returns false if `from` is no such array.
template <class Output>
bool read_array(nb::handle from, bool shapes, const Output& into) {
  nb::ndarray<const float, nb::c_contig, nb::device::cpu> array;
  if (!nb::try_cast(from, array, false) || array.size() != into.values.size()) return false;
  const auto* shape = array.shape_ptr();
  if (shapes && !std::equal(into.shape.begin(), into.shape.end(), shape, shape + array.ndim())) return false;
  std::copy_n(array.data(), array.size(), into.values.data());
  return true;
}

// A network with one output answers with an array, others with a tuple of arrays.
template <class Encoder>
typename evaluation::Evaluator<Encoder>::Forward python_network(nb::callable forward) {
  using Evaluator = evaluation::Evaluator<Encoder>;
  using Arrays = PythonArrays<Encoder>;
  return [forward = std::move(forward)](const std::shared_ptr<typename Encoder::Batch>& batch,
                                        std::span<const typename Evaluator::Output> outputs) {
    const nb::gil_scoped_acquire acquire;
    const nb::object answer = forward(*inputs_of<Encoder>(batch));
    bool fits = outputs.size() == 1 || (nb::isinstance<nb::tuple>(answer) && nb::len(answer) == outputs.size());
    for (std::size_t i = 0; fits && i < outputs.size(); ++i)
      fits = read_array(outputs.size() == 1 ? answer : nb::object(answer[i]), Arrays::kShapes, outputs[i]);
    if (!fits) throw nb::value_error(Arrays::kAnswer);
  };
}

// Makes an evaluator from an encoder and a Python function.
template <class Encoder>
void make_evaluator(evaluation::Evaluator<Encoder>* self, Encoder encoder, nb::callable forward, std::size_t batch,
                    std::size_t cache) {
  new (self) evaluation::Evaluator<Encoder>(std::move(encoder), python_network<Encoder>(std::move(forward)), batch, cache);
}

// Reads a counter of an evaluator.
template <class Evaluator, class Count>
auto counter(Count evaluation::Counters::* count) {
  return [count](const Evaluator& self) { return (self.counters().*count).load(); };
}

// Binds the class of an evaluator, with properties for its counters.
template <class Evaluator>
nb::class_<Evaluator> bind_evaluator(nb::module_& m, const char* name, const char* about) {
  using evaluation::Counters;
  return nb::class_<Evaluator>(m, name, about, nb::is_weak_referenceable())
      .def("renew_cache", &Evaluator::renew_cache, "places"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Replace the cache by an empty one of at least `places` places.")
      .def_prop_ro("evaluated", counter<Evaluator>(&Counters::evaluated), "Positions that the network has evaluated.")
      .def_prop_ro("hits", counter<Evaluator>(&Counters::hits), "Positions that the cache answered.")
      .def_prop_ro("batches", counter<Evaluator>(&Counters::batches), "Calls of `forward`.")
      .def_prop_ro("forward_seconds", counter<Evaluator>(&Counters::forward_seconds), "Seconds spent in `forward`.");
}

}  // namespace sandtable
