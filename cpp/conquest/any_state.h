// A Conquest state in the smallest size that holds it.
#pragma once

#include "conquest/state.h"
#include "core/any_size.h"

namespace sandtable::conquest {

using AnyState = AnySize<Land, State, Small, Large, Huge>;

// A state in which all land is neutral and empty. Throws std::invalid_argument if the setup cannot be played.
inline AnyState make_state(const Setup& setup) {
  check(setup);
  if (setup.territories <= Land<Small>::kTerritories) return AnyState::make<Small>(setup);
  if (setup.territories <= Land<Large>::kTerritories) return AnyState::make<Large>(setup);
  return AnyState::make<Huge>(setup);
}

}  // namespace sandtable::conquest
