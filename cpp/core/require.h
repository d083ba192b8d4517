// Checks of arguments that come from outside the engine.
#pragma once

#include <stdexcept>
#include <string>

namespace sandtable {

// Throws std::invalid_argument, Python's ValueError, unless the condition on an argument holds.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

// Throws std::invalid_argument with `what` and the reason if there is a reason why the argument is illegal.
inline void refuse(const char* what, const std::string& reason) {
  if (!reason.empty()) throw std::invalid_argument(what + reason);
}

}  // namespace sandtable
