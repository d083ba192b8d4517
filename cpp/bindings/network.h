// Python functions as the networks of evaluators (evaluation/evaluator.h): a batch is handed over in arrays that are not
// copied, and the answer is checked and copied.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "bindings/arrays.h"
#include "evaluation/evaluator.h"

namespace sandtable {

// How the batches of an encoder look in Python. A specialisation has
//   inputs(batch, owner)  the arrays of a batch, whose memory `owner` keeps, as the arguments of the network
//   kAnswer               what it must answer with, for the error message
//   kShapes               whether arrays of other shapes with as many values are refused
template <class Encoder>
struct PythonArrays;

template <class Encoder>
nanobind::tuple inputs_of(const std::shared_ptr<typename Encoder::Batch>& batch) {
  return PythonArrays<Encoder>::inputs(*batch, keep(batch));
}

// Copies an array of float32 that has the output's size and, if `shapes`, its shape. False if it is none.
template <class Output>
bool read_array(nanobind::handle from, bool shapes, const Output& into) {
  nanobind::ndarray<const float, nanobind::c_contig, nanobind::device::cpu> array;
  if (!nanobind::try_cast(from, array, false) || array.size() != into.values.size()) return false;
  if (shapes) {
    if (array.ndim() != into.shape.size()) return false;
    for (std::size_t axis = 0; axis < into.shape.size(); ++axis)
      if (array.shape(axis) != into.shape[axis]) return false;
  }
  std::copy_n(array.data(), array.size(), into.values.data());
  return true;
}

// A network with one output answers with an array, others with a tuple of arrays.
template <class Encoder>
typename evaluation::Evaluator<Encoder>::Forward python_network(nanobind::callable forward) {
  using Evaluator = evaluation::Evaluator<Encoder>;
  using Arrays = PythonArrays<Encoder>;
  return [forward = std::move(forward)](const std::shared_ptr<typename Encoder::Batch>& batch,
                                        std::span<const typename Evaluator::Output> outputs) {
    const nanobind::gil_scoped_acquire acquire;
    const nanobind::object answer = forward(*inputs_of<Encoder>(batch));
    bool fits = outputs.size() == 1 || (nanobind::isinstance<nanobind::tuple>(answer) && nanobind::len(answer) == outputs.size());
    for (std::size_t i = 0; fits && i < outputs.size(); ++i)
      fits = read_array(outputs.size() == 1 ? answer : nanobind::object(answer[i]), Arrays::kShapes, outputs[i]);
    if (!fits) throw nanobind::value_error(Arrays::kAnswer);
  };
}

// ValueError in Python unless the sizes are possible.
inline void check_sizes(std::size_t batch, std::size_t cache, std::size_t most_cached) {
  if (batch < 1 || batch > 1 << 20) throw std::invalid_argument("batch must be within 1..1048576");
  if (cache > most_cached) throw std::invalid_argument("cache must be within 0.." + std::to_string(most_cached));
}

// The properties that say what an evaluator has done.
template <class Class, class... Extra>
nanobind::class_<Class, Extra...>& bind_counters(nanobind::class_<Class, Extra...>& bound) {
  return bound
      .def_prop_ro("evaluated", [](const Class& self) { return self.counters().evaluated.load(); },
                   "Positions that the network has evaluated.")
      .def_prop_ro("hits", [](const Class& self) { return self.counters().hits.load(); }, "Positions that the cache knew.")
      .def_prop_ro("batches", [](const Class& self) { return self.counters().batches.load(); }, "Calls of `forward`.")
      .def_prop_ro("forward_seconds", [](const Class& self) { return self.counters().forward_seconds.load(); },
                   "Time inside `forward`.");
}

}  // namespace sandtable
