#include "environments/conquest.h"

#include "conquest/game.h"

namespace sandtable::environments {

using namespace conquest;

ConquestObserver::ConquestObserver(const AnyState& start, const std::string& encoder)
    : fingerprint_(start.visit([](const auto& state) { return state.land().fingerprint(); })),
      territories_(start.visit([](const auto& state) { return static_cast<std::size_t>(state.land().territories()); })),
      soares2025_(encoder == "soares2025") {
  if (!soares2025_ && encoder != "graph")
    throw std::invalid_argument("encoder must be graph or soares2025, not '" + encoder + "'");
}

std::vector<float> ConquestObserver::encode(const AnyState& any, int player) {
  std::vector<float> values(size());
  observed(any, player, [&](const auto& state) { encode(state, player, values.data()); });
  return values;
}

std::vector<std::int32_t> ConquestObserver::genes_of_shares(const AnyState& any, int player,
                                                            std::span<const float> shares) const {
  return observed(any, player, [&](const auto& state) {
    std::vector<std::int32_t> genes(static_cast<std::size_t>(gene_count(state.land())));
    require(shares.size() == genes.size(), "there must be a share for each gene");
    environments::genes_of_shares(state, player, shares.data(), genes.data());
    return genes;
  });
}

ConquestGames::ConquestGames(const AnyState& land, std::size_t games, const std::string& encoder, const GroupSettings& settings)
    : Group(land, games, encoder, settings),
      genes_(land.visit([](const auto& state) { return static_cast<std::size_t>(gene_count(state.land())); })),
      orders_(games),
      pending_(games),
      row_(genes_) {
  require(settings.opponent != Opponent::kGreedy, "conquest has no greedy opponent");
}

void ConquestGames::begin(std::size_t game) {
  Slot& slot = slots_[in_group(game)];
  slot.begin(settings_);
  sides[game] = static_cast<std::int8_t>(slot.side);
  orders_[game].clear();
  pending_[game] = 0;
  const std::uint64_t seed = slot.draws.below(0xffffffff);
  states_[game].visit([&](auto& state) { random_start(state, seed); });
}

template <class MakeGenes>
void ConquestGames::act(MakeGenes&& make_genes) {
  for (std::size_t game = 0; game < games(); ++game) {
    Slot& slot = slots_[game];
    if (slot.ended) {
      begin(game);
      continue;
    }
    slot.begun = false;
    const bool over = states_[game].visit([&](const auto& state) {
      if (state.over()) return true;
      make_genes(state, game, slot.side);
      decode(state.land(), row_.data(), orders_[game]);
      return false;
    });
    if (over) continue;
    pending_[game] = 1;
    if (settings_.opponent == Opponent::kElsewhere) continue;
    // The same orders as the player `random` draws.
    thread_local Orders theirs;
    states_[game].visit([&](const auto& state) {
      random_move(state, 1 - slot.side, slot.opponent.below(0xffffffff), theirs);
    });
    resolve(game, theirs);
  }
}

void ConquestGames::act_genes(std::span<const std::int32_t> actions) {
  require(actions.size() == games() * genes_, "there must be a row of genes for each game");
  act([&](const auto& state, std::size_t game, int player) {
    std::copy_n(actions.data() + game * genes_, genes_, row_.data());
    repair(state, player, row_, slots_[game].play.below(0xffffffff));
  });
}

void ConquestGames::act_shares(std::span<const float> actions) {
  require(actions.size() == games() * genes_, "there must be a row of shares for each game");
  act([&](const auto& state, std::size_t game, int player) {
    genes_of_shares(state, player, actions.data() + game * genes_, row_.data());
  });
}

std::vector<std::size_t> ConquestGames::waiting() const {
  return games_where([&](std::size_t game) { return waits(game); });
}

std::pair<int, std::uint64_t> ConquestGames::answer(std::size_t game, const Orders& orders) {
  require(waits(in_group(game)), "this game does not wait for the opponent");
  states_[game].visit([&](const auto& state) { check_legal(state, 1 - slots_[game].side, orders); });
  return resolve(game, orders);
}

std::pair<int, std::uint64_t> ConquestGames::resolve(std::size_t game, const Orders& orders) {
  Slot& slot = slots_[game];
  pending_[game] = 0;
  const int first = static_cast<int>(slot.play.below(2));
  const std::uint64_t seed = slot.play.below(0xffffffff);
  states_[game].visit([&](auto& state) {
    if (slot.side == 0) state.resolve(orders_[game], orders, first, seed);
    else state.resolve(orders, orders_[game], first, seed);
  });
  return {first, seed};
}

void ConquestGames::observe() {
  for (std::size_t game = 0; game < games(); ++game) observe_one(game);
}

void ConquestGames::observe_one(std::size_t game) {
  Slot& slot = slots_[in_group(game)];
  states_[game].visit([&]<class Size>(const State<Size>& state) {
    const bool over = state.over() || slot.forfeited;
    const double result = slot.forfeited ? (*slot.forfeited == slot.side ? -1 : 1) : over ? Game<Size>::value(state, slot.side) : 0;
    rewards[game] = slot.reward(settings_, over, result, over || settings_.shaping == 0 ? 0 : share_value(state, slot.side));
    slot.ended = over && !slot.begun;
    outcomes[game] = static_cast<std::uint8_t>(slot.ended ? Outcome::kEnded : Outcome::kGoesOn);
    observer_.encode(state, slot.side, observations.data() + game * observer_.size());
  });
}

}  // namespace sandtable::environments
