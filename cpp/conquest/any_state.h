// A Conquest state in the smaller size that holds it.
#pragma once

#include "conquest/state.h"
#include "core/any_size.h"

namespace sandtable::conquest {

using AnyState = AnySize<Land, State, Small, Large>;

// A land all neutral and empty. Throws std::invalid_argument if the setup cannot be played.
inline AnyState make_state(const Setup& setup) {
  check(setup);
  if (setup.territories <= Land<Small>::kTerritories) return AnyState::make<Small>(setup);
  return AnyState::make<Large>(setup);
}

}  // namespace sandtable::conquest
