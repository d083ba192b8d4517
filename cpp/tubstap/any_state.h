// A state of whatever size, for those who meet the size only when the program runs: the Python border.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "tubstap/state.h"

namespace sandtable::tubstap {

class AnyState {
 public:
  // Throws std::invalid_argument if the setup cannot be played.
  explicit AnyState(const Setup& setup) : box_(make(setup)) {}
  AnyState(const AnyState& other) : box_(std::visit([](const auto& b) -> AnyBox { return b.copy(); }, other.box_)) {}
  AnyState& operator=(const AnyState&) = delete;

  // Calls f(State<Size>&) for the size at hand.
  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit([&](auto& b) -> decltype(auto) { return f(*b.state); }, box_);
  }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit([&](const auto& b) -> decltype(auto) { return f(std::as_const(*b.state)); }, box_);
  }

 private:
  template <class Size>
  struct Box {
    std::shared_ptr<const Board<Size>> board;
    std::unique_ptr<State<Size>> state;

    Box copy() const { return {board, std::make_unique<State<Size>>(*state)}; }
  };
  using AnyBox = std::variant<Box<Small>, Box<Medium>, Box<Large>>;

  template <class Size>
  static AnyBox make_sized(const Setup& setup) {
    auto board = std::make_shared<const Board<Size>>(setup);
    auto state = std::make_unique<State<Size>>(*board, setup);
    return Box<Size>{std::move(board), std::move(state)};
  }
  static AnyBox make(const Setup& setup) {
    check(setup);
    if (fits<Small>(setup)) return make_sized<Small>(setup);
    if (fits<Medium>(setup)) return make_sized<Medium>(setup);
    return make_sized<Large>(setup);
  }

  AnyBox box_;
};

}  // namespace sandtable::tubstap
