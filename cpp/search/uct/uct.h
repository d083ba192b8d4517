// Monte-Carlo tree search with UCB1 (UCT) over single moves.
//
// A simulation descends by mean + c * sqrt(ln N / n), unvisited children first, in random order unless another order is given.
// A leaf that has been visited often enough lists all its moves at once, and the playout starts after the first move tried.
// Only tried children become nodes: most leaves are visited once, and a list of moves takes a tenth of the memory that nodes
// for all of them would take. Settings make it li2022's MCTS (appendix), kimura2020's (section 4.2) or the platform's M-UCT.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/arena.h"
#include "core/logarithm.h"
#include "core/settings.h"
#include "search/budget.h"
#include "search/game.h"

namespace sandtable::search {

// The platform's M-UCT lets both sides maximise the result of the side that searches.
enum class Opponent { kOriginal, kAdversarial };

// The order in which the children of a node are first visited. M-UCT has a fixed order, and prefers the first of equal
// children.
enum class ChildOrder { kOriginal, kRandom };

template <class Playout>
struct UctSettings {
  std::uint64_t simulations = 200;
  double c = 1.4142135623730951;
  std::uint32_t expand_after = 0;
  Playout playout{};
  std::uint32_t max_nodes = 1u << 22;
  Opponent opponent = Opponent::kAdversarial;
  ChildOrder order = ChildOrder::kRandom;
  bool log_of_total = false;
  bool play_best_mean = false;

  static constexpr auto fields() {
    using S = UctSettings;
    return std::tuple_cat(
        std::tuple(count("simulations", &S::simulations, "simulations for a move"),
                   field("c", &S::c, 0, 1000, "exploration constant of UCB1"),
                   field("expand_after", &S::expand_after, 0, 1e9, "visits that a leaf needs before it gets children")),
        within(&S::playout, Playout::fields()),
        std::tuple(field("max_nodes", &S::max_nodes, 1, 1u << 31,
                         "nodes beyond which the tree stops growing; the root's children are always made"),
                   field("opponent", &S::opponent, "original adversarial",
                         "adversarial: the other side plays for itself; original: for the searching side, as in M-UCT"),
                   field("order", &S::order, "original random",
                         "order in which children are first tried: random, or M-UCT's original, unit by unit, attacks first"),
                   field("log_of_total", &S::log_of_total, "use the logarithm of all simulations, not of the parent's visits"),
                   field("play_best_mean", &S::play_best_mean, "play the move with the best mean, not the most visited one")));
  }
};

template <SequentialGame Game>
class Uct {
 public:
  using State = typename Game::State;
  using Move = typename Game::Move;

  using Settings = UctSettings<typename Game::Playout>;
  using Arrange = void (*)(std::vector<Move>&);

  // `arrange` sorts the moves of a node into ChildOrder::kOriginal.
  explicit Uct(const Settings& settings, Arrange arrange = nullptr)
      : settings_(settings), arrange_(settings.order == ChildOrder::kOriginal ? arrange : nullptr) {}

  // The game must not be over.
  Result<Move> search(const State& root, Budget budget, Rng& rng) {
    moves_.clear();
    scores_.clear();
    stats_.clear();
    for (auto& blocks : free_) blocks.clear();
    new_nodes(1);
    stats_[0] = Stat{};
    listed_in_all_ = 1;
    expand(0, root);
    root_side_ = Game::side(root);
    std::uint64_t done = 0;
    for (; !budget.spent(done); ++done) simulate(root, rng);
    return result(done);
  }

 private:
  // The numbers that selection reads, stored apart so that the children of a node take up few cache lines.
  struct Score {
    float mean;    // of the results in [0, 1] for the side that chose this node
    float spread;  // 1 / sqrt(visits)
  };
  struct Stat {
    double sum = 0;
    std::uint32_t visits = 0;
    std::uint32_t first_child = 0;
    std::uint32_t first_move = 0;
    std::uint16_t children = 0;  // moves from first_move on; those of tried children first, in the same order
    std::uint16_t tried = 0;     // nodes from first_child on
  };
  struct Step {
    std::uint32_t node;
    int side;  // that chose the node
  };

  std::uint32_t new_nodes(std::uint32_t n) {
    scores_.add(n);
    return stats_.add(n);
  }

  bool expand(std::uint32_t node, const State& state) {
    listed_.clear();
    Game::moves(state, listed_);
    if (arrange_) arrange_(listed_);
    const auto n = static_cast<std::uint32_t>(listed_.size());
    if (n > 0xffff || (node != 0 && listed_in_all_ + n > settings_.max_nodes)) return false;
    listed_in_all_ += n;
    const std::uint32_t first = moves_.add(n);
    std::copy(listed_.begin(), listed_.end(), moves_.at(first));
    stats_[node].first_move = first;
    stats_[node].children = static_cast<std::uint16_t>(n);
    return true;
  }

  // Makes a node for an untried move. Unless the moves have an order, a random one is first swapped to the place after
  // the tried ones.
  std::uint32_t add_child(std::uint32_t node, Rng& rng) {
    const Stat stat = stats_[node];
    const std::uint32_t next = stat.first_move + stat.tried;
    if (!arrange_)
      std::swap(moves_[next], moves_[next + rng.below(static_cast<std::uint32_t>(stat.children - stat.tried))]);
    if (stat.tried == 0 || std::has_single_bit(stat.tried)) move_children(node);
    const std::uint32_t child = stats_[node].first_child + stat.tried;
    stats_[child] = Stat{};
    ++stats_[node].tried;
    return child;
  }

  // The children of a node are stored together, in blocks of 1, 2, 4 ... nodes. Moves them from a full block to one of
  // twice the size, or to one with as many nodes as there are moves, if these are fewer.
  void move_children(std::uint32_t node) {
    const Stat stat = stats_[node];
    const std::uint32_t wanted = std::min<std::uint32_t>(std::max(2 * stat.tried, 1), stat.children);
    auto& free = free_[std::countr_zero(std::bit_ceil(wanted))];
    std::uint32_t first;
    if (std::has_single_bit(wanted) && !free.empty()) {
      first = free.back();
      free.pop_back();
    } else {
      first = new_nodes(wanted);
    }
    std::copy_n(stats_.at(stat.first_child), stat.tried, stats_.at(first));
    std::copy_n(scores_.at(stat.first_child), stat.tried, scores_.at(first));
    if (stat.tried > 0) free_[std::countr_zero(stat.tried)].push_back(stat.first_child);
    stats_[node].first_child = first;
  }

  std::uint32_t best_child(const Stat& stat) const {
    const double n = settings_.log_of_total ? stats_[0].visits : stat.visits;
    const auto k = static_cast<float>(settings_.c * std::sqrt(logarithm(std::max(n, 1.0))));
    std::uint32_t best = stat.first_child;
    float highest = -1;
    for (std::uint32_t i = stat.first_child; i < stat.first_child + stat.children; ++i) {
      const float score = scores_[i].mean + k * scores_[i].spread;
      if (score > highest) {
        highest = score;
        best = i;
      }
    }
    return best;
  }

  void simulate(const State& root, Rng& rng) {
    State state = root;
    path_.clear();
    std::uint32_t node = 0;
    for (bool leaf = false; !leaf && !Game::over(state);) {
      if (stats_[node].children == 0) {
        if (stats_[node].visits < settings_.expand_after || !expand(node, state)) break;
        leaf = true;
      }
      const bool untried = stats_[node].tried < stats_[node].children;
      const std::uint32_t child = untried ? add_child(node, rng) : best_child(stats_[node]);
      path_.push_back({child, Game::side(state)});
      Game::play(state, move_to(node, child));
      node = child;
    }
    if (!Game::over(state)) Game::playout(state, settings_.playout, rng);
    // A result in [0, 1] for each side: 1 a win, 0.5 a draw, 0 a loss.
    const double result[2] = {0.5 + 0.5 * Game::result(state, 0, settings_.playout),
                              0.5 + 0.5 * Game::result(state, 1, settings_.playout)};
    stats_[0].visits += 1;
    stats_[0].sum += result[root_side_];
    for (const Step& step : path_) {
      Stat& stat = stats_[step.node];
      stat.visits += 1;
      stat.sum += result[settings_.opponent == Opponent::kOriginal ? root_side_ : step.side];
      scores_[step.node] = {static_cast<float>(stat.sum / stat.visits),
                            static_cast<float>(1.0 / std::sqrt(static_cast<double>(stat.visits)))};
    }
  }

  const Move& move_to(std::uint32_t node, std::uint32_t child) const {
    return moves_[stats_[node].first_move + (child - stats_[node].first_child)];
  }

  // The most visited path that begins with this child of the root.
  std::vector<Move> principal_variation(std::uint32_t node) {
    std::vector<Move> moves{move_to(0, node)};
    while (stats_[node].tried > 0) {
      const std::uint32_t first = stats_[node].first_child;
      std::uint32_t next = first;
      for (std::uint32_t i = first + 1; i < first + stats_[node].tried; ++i)
        if (stats_[i].visits > stats_[next].visits) next = i;
      moves.push_back(move_to(node, next));
      node = next;
    }
    return moves;
  }

  Result<Move> result(std::uint64_t done) {
    Result<Move> out;
    const Stat& root = stats_[0];
    const auto key = [&](const Candidate<Move>& c) {
      const double visits = static_cast<double>(c.visits);
      return settings_.play_best_mean ? std::pair(c.value, visits) : std::pair(visits, c.value);
    };
    for (std::uint32_t i = 0; i < root.tried; ++i) {
      const std::uint32_t child = root.first_child + i;
      const Stat& stat = stats_[child];
      out.candidates.push_back({move_to(0, child), stat.visits, 2 * stat.sum / stat.visits - 1, principal_variation(child)});
      if (key(out.candidates[i]) > key(out.candidates[out.best])) out.best = i;
    }
    out.value = 2 * root.sum / root.visits - 1;
    out.nodes = listed_in_all_;
    out.simulations = done;
    return out;
  }

  Settings settings_;
  Arrange arrange_;
  int root_side_ = 0;
  Arena<Move> moves_;
  Arena<Score> scores_;
  Arena<Stat> stats_;
  std::array<std::vector<std::uint32_t>, 17> free_;  // free blocks of 1, 2, 4 ... nodes, left by children that were moved
  std::uint32_t listed_in_all_ = 0;  // listed moves and the root; max_nodes limits them
  std::vector<Move> listed_;
  std::vector<Step> path_;
};

// A search with the seed and the limits of a run.
template <SequentialGame Game>
Result<typename Game::Move> uct(const typename Game::State& root, const UctSettings<typename Game::Playout>& settings,
                                const Run& run, typename Uct<Game>::Arrange arrange = nullptr) {
  check_playout<Game>(settings.playout);
  Rng rng(run.seed, stream_number("uct"));
  return Uct<Game>(settings, arrange).search(root, run.budget(settings.simulations), rng);
}

}  // namespace sandtable::search
