// A state of any size, for code that learns the size only at run time: the Python bindings.
#pragma once

#include <memory>
#include <utility>
#include <variant>

namespace sandtable {

// State<Size> for one of the Sizes, with the Board<Size> that it refers to.
template <template <class> class Board, template <class> class State, class... Sizes>
class AnySize {
 public:
  // The state State<Size>(board, arguments...) on the board Board<Size>(setup).
  template <class Size, class Setup, class... Arguments>
  static AnySize make(const Setup& setup, const Arguments&... arguments) {
    auto board = std::make_shared<const Board<Size>>(setup);
    auto state = std::make_unique<State<Size>>(*board, arguments...);
    return AnySize(Box<Size>{std::move(board), std::move(state)});
  }

  AnySize(const AnySize& other) : box_(std::visit([](const auto& b) -> AnyBox { return b.copy(); }, other.box_)) {}
  AnySize(AnySize&&) = default;
  AnySize& operator=(const AnySize&) = delete;

  // Calls f(State<Size>&) with the state in its actual size.
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
  using AnyBox = std::variant<Box<Sizes>...>;

  explicit AnySize(AnyBox box) : box_(std::move(box)) {}

  AnyBox box_;
};

}  // namespace sandtable
