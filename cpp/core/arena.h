// A growing array of plain, uninitialised items: the nodes of a search tree, addressed by 32-bit indices.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

namespace sandtable {

template <class T>
class Arena {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::uint32_t size() const { return size_; }
  T& operator[](std::uint32_t i) { return items_[i]; }
  const T& operator[](std::uint32_t i) const { return items_[i]; }
  T* at(std::uint32_t i) { return items_.get() + i; }

  // Removes all items, and keeps the memory for the next search.
  void clear() { size_ = 0; }

  // Makes room for n more items and returns the index of the first. It invalidates references to items.
  std::uint32_t add(std::uint32_t n) {
    const std::uint32_t first = size_;
    size_ += n;
    if (size_ > room_) grow();
    return first;
  }

 private:
  void grow() {
    std::uint32_t room = room_ ? room_ : 1024;
    while (room < size_) room *= 2;
    auto items = std::make_unique_for_overwrite<T[]>(room);
    if (room_) std::memcpy(static_cast<void*>(items.get()), items_.get(), room_ * sizeof(T));
    items_ = std::move(items);
    room_ = room;
  }

  std::unique_ptr<T[]> items_;
  std::uint32_t size_ = 0, room_ = 0;
};

}  // namespace sandtable
