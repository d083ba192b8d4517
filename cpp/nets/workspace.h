// Memory that grows to the size needed and is reused.
#pragma once

#include <cstddef>

namespace sandtable::nets {

template <class Values>
auto* room(Values& values, std::size_t n) {
  if (values.size() < n) values.resize(n);
  return values.data();
}

}  // namespace sandtable::nets
