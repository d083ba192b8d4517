// Memory that grows to what is needed and is used again.
#pragma once

#include <cstddef>

namespace sandtable::nets {

template <class Values>
auto* room(Values& values, std::size_t n) {
  if (values.size() < n) values.resize(n);
  return values.data();
}

}  // namespace sandtable::nets
