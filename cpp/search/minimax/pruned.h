// Minimax over the moves that a policy prefers: below the root, only the `width` likeliest moves of a node are
// followed, so that depths of three and four are affordable (future work of li2022, section 5). As in minimax.h, the
// side to move decides whether a node maximises.
//
// The tree is grown level by level: the positions of a level, each stored once, are evaluated together, and their
// priors decide which moves lead to the next level. The network's values are used only on the last level.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "search/minimax/minimax.h"
#include "search/puct/search.h"

namespace sandtable::search {

struct PrunedMinimaxSettings : MinimaxSettings {
  std::uint32_t width = 6;

  static constexpr auto fields() {
    return std::tuple_cat(MinimaxSettings::fields(),
                          std::tuple(field("width", &PrunedMinimaxSettings::width, 1, 1e6,
                                           "number of likeliest operations searched in each position below the root")));
  }
};

template <PolicyGame Game>
class PrunedMinimax {
 public:
  using State = typename Game::State;
  using Move = typename Game::Move;

  PrunedMinimax(const PrunedMinimaxSettings& settings, PolicyEvaluator<Game> evaluate)
      : depth_(settings.depth), width_(settings.width), max_nodes_(settings.max_nodes), evaluate_(std::move(evaluate)) {}

  // The game must not be over. Throws std::invalid_argument if there are more positions than max_nodes, and Interrupted
  // when told to stop.
  Result<Move> search(const State& root, const std::function<bool()>& interrupted = {}) {
    const int side = Game::side(root);
    std::vector<std::vector<Node>> levels(1);
    levels[0].push_back(Node(root));
    std::uint64_t nodes = 1;
    for (int depth = 0; depth <= depth_; ++depth) {
      if (interrupted && interrupted()) throw Interrupted{};
      evaluate(levels.back());
      if (depth == depth_) break;
      std::vector<Node> next;
      std::unordered_map<std::uint64_t, std::size_t> known;
      for (Node& node : levels.back()) {
        if (Game::over(node.leaf.state)) continue;
        for (const std::size_t place : likeliest(node.leaf.priors, depth == 0 ? node.leaf.moves.size() : width_)) {
          State after = node.leaf.state;
          Game::play(after, node.leaf.moves[place]);
          const auto [found, is_new] = known.try_emplace(Game::hash(after), next.size());
          if (is_new) next.push_back(Node(after));
          node.children.push_back({place, found->second});
        }
      }
      nodes += next.size();
      if (nodes > max_nodes_)
        throw std::invalid_argument("a depth of " + std::to_string(depth_) + " has more than " + std::to_string(max_nodes_) +
                                    " positions here: lower it or the width");
      levels.push_back(std::move(next));
    }
    for (std::size_t level = levels.size() - 1; level-- > 0;) {
      for (Node& node : levels[level]) {
        if (node.children.empty()) continue;
        const bool maximises = Game::side(node.leaf.state) == side;
        node.value = maximises ? -kInfinity : kInfinity;
        for (const auto& [place, child] : node.children) {
          const double value = of(levels[level + 1][child], side);
          node.value = maximises ? std::max(node.value, value) : std::min(node.value, value);
        }
        node.known = true;
      }
    }
    Result<Move> out;
    const Node& top = levels[0][0];
    out.value = -2;
    for (const auto& [place, child] : top.children) {
      const double value = of(levels[1][child], side);
      // Of equally good moves the likelier one is played.
      if (out.candidates.empty() || value > out.value ||
          (value == out.value && top.leaf.priors[place] > *out.candidates[out.best].prior)) {
        out.best = out.candidates.size();
        out.value = value;
      }
      out.candidates.push_back({top.leaf.moves[place], 1, value, {}, top.leaf.priors[place]});
    }
    out.nodes = nodes;
    out.simulations = levels.back().size();
    return out;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr std::size_t kBatch = 512;  // as many as fit the processor's cache
  using Leaf = typename PolicyTree<Game>::Leaf;

  struct Node {
    explicit Node(const State& state) : leaf(state) {}
    Leaf leaf;
    std::vector<std::pair<std::size_t, std::size_t>> children;  // the place of a move, and of its position on the next level
    double value = 0;  // for the root's side, once it is known
    bool known = false;
  };

  // The value for the root's side: the one backed up, the result of the game, or the network's.
  double of(const Node& node, int side) const {
    if (node.known) return node.value;
    if (Game::over(node.leaf.state)) return Game::value(node.leaf.state, side);
    return Game::side(node.leaf.state) == side ? node.leaf.value : -node.leaf.value;
  }

  void evaluate(std::vector<Node>& level) {
    std::vector<std::size_t> places;
    Leaves<Game> batch;
    const auto flush = [&] {
      if (batch.empty()) return;
      evaluate_(batch, batch.size());
      for (std::size_t i = 0; i < batch.size(); ++i) level[places[i]].leaf = std::move(batch[i]);
      batch.clear();
      places.clear();
    };
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (Game::over(level[i].leaf.state)) continue;
      Game::moves(level[i].leaf.state, level[i].leaf.moves);
      batch.push_back(level[i].leaf);
      places.push_back(i);
      if (batch.size() == kBatch) flush();
    }
    flush();
  }

  static std::vector<std::size_t> likeliest(const std::vector<float>& priors, std::size_t count) {
    std::vector<std::size_t> places(priors.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return priors[a] > priors[b]; });
    places.resize(std::min(count, places.size()));
    return places;
  }

  int depth_;
  std::size_t width_, max_nodes_;
  PolicyEvaluator<Game> evaluate_;
};

}  // namespace sandtable::search
