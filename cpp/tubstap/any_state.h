// A TUBSTAP state in the smallest size that holds it.
#pragma once

#include "core/any_size.h"
#include "tubstap/state.h"

namespace sandtable::tubstap {

using AnyState = AnySize<Board, State, Small, Compact, Medium, Wide, Large>;

// The start of a scenario. Throws std::invalid_argument if the setup cannot be played.
inline AnyState make_state(const Setup& setup) {
  check(setup);
  if (fits<Small>(setup)) return AnyState::make<Small>(setup, setup);
  if (fits<Compact>(setup)) return AnyState::make<Compact>(setup, setup);
  if (fits<Medium>(setup)) return AnyState::make<Medium>(setup, setup);
  if (fits<Wide>(setup)) return AnyState::make<Wide>(setup, setup);
  return AnyState::make<Large>(setup, setup);
}

}  // namespace sandtable::tubstap
