// Advances many games together that one network evaluates, so that the positions at which they wait fill a batch.
//
// A lane is one game. It runs until it needs the network, and waits there. The questions of all waiting lanes are answered
// together, and then all go on. When a game ends, its lane begins the next one.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sandtable::evaluation {

template <class L>
concept Lane = requires(L lane) {
  { lane.advance() } -> std::convertible_to<bool>;  // whether it waits for an answer; else its game is over
  lane.resume();                                    // goes on after the answer has been given
};

// Plays `games` games, at most `lanes` at a time. start(i) begins game i; evaluate(waiting) answers the questions of the
// waiting lanes; finish(i, lane) receives a finished game. Stops early if interrupted(), which is called after every batch,
// returns true.
template <class Start, class Evaluate, class Finish>
void play_in_lanes(std::size_t games, std::size_t lanes, Start&& start, Evaluate&& evaluate, Finish&& finish,
                   const std::function<bool()>& interrupted = {}) {
  using L = decltype(start(std::size_t{}));
  static_assert(Lane<L>);
  struct Game {
    std::size_t number;
    std::unique_ptr<L> lane;  // does not move in memory when other games end
  };
  std::vector<Game> playing;
  std::vector<L*> waiting;
  for (std::size_t next = 0;;) {
    while (playing.size() < lanes && next < games) {
      playing.push_back({next, std::unique_ptr<L>(new L(start(next)))});
      ++next;
    }
    std::erase_if(playing, [&](const Game& game) {
      if (game.lane->advance()) return false;
      finish(game.number, std::move(*game.lane));
      return true;
    });
    if (playing.empty() && next == games) return;
    waiting.clear();
    for (const Game& game : playing) waiting.push_back(game.lane.get());
    if (!waiting.empty()) evaluate(std::span<L* const>(waiting));
    for (L* lane : waiting) lane->resume();
    if (interrupted && interrupted()) return;
  }
}

}  // namespace sandtable::evaluation
