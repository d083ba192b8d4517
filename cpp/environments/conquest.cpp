#include "environments/conquest.h"

#include "conquest/game.h"

namespace sandtable::environments {

using namespace conquest;

ConquestObserver::ConquestObserver(const AnyState& start, const std::string& encoder)
    : fingerprint_(start.visit([](const auto& state) { return state.land().fingerprint(); })),
      territories_(start.visit([](const auto& state) { return static_cast<std::size_t>(state.land().territories()); })),
      soares2025_(encoder == "soares2025") {
  if (!soares2025_ && encoder != "graph")
    throw std::invalid_argument("an observation of conquest is graph or soares2025, not '" + encoder + "'");
}

ConquestGames::ConquestGames(const AnyState& land, std::size_t games, const std::string& encoder, const Terms& terms)
    : terms_(terms),
      observer_(land, encoder),
      genes_(land.visit([](const auto& state) { return static_cast<std::size_t>(gene_count(state.land())); })),
      states_(games, land),
      seats_(games),
      orders_(games),
      pending_(games),
      row_(genes_) {
  check_group_size(games);
  if (terms.opponent == Opponent::kGreedy) throw std::invalid_argument("conquest has no opponent greedy");
  observations.resize(games * observer_.size());
  rewards.resize(games);
  outcomes.resize(games);
  sides.resize(games);
}

void ConquestGames::begin(std::size_t game) {
  Seat& seat = seats_[game];
  seat.begin(terms_);
  sides[game] = static_cast<std::int8_t>(seat.side);
  orders_[game].clear();
  pending_[game] = 0;
  Rng rng(seat.draws.below(0xffffffff), stream_number("start"));
  states_[game].visit([&](auto& state) { random_start(state, rng); });
}

template <class MakeGenes>
void ConquestGames::act(MakeGenes&& make_genes) {
  for (std::size_t game = 0; game < games(); ++game) {
    Seat& seat = seats_[game];
    if (seat.ended) {
      begin(game);
      continue;
    }
    seat.begun = false;
    const bool over = states_[game].visit([&](const auto& state) {
      if (state.over()) return true;
      make_genes(state, game, seat.side);
      decode(state.land(), row_.data(), orders_[game]);
      return false;
    });
    if (over) continue;
    pending_[game] = 1;
    if (terms_.opponent == Opponent::kElsewhere) continue;
    // As the player `random` draws.
    thread_local Orders theirs;
    states_[game].visit([&](const auto& state) {
      Rng rng(seat.opponent.below(0xffffffff), stream_number("random move"), 1 - seat.side);
      random_move(state, 1 - seat.side, rng, theirs);
    });
    answer(game, theirs);
  }
}

void ConquestGames::act_genes(std::span<const std::int32_t> actions) {
  if (actions.size() != games() * genes_) throw std::invalid_argument("there must be a row of genes for each game");
  act([&](const auto& state, std::size_t game, int player) {
    std::copy_n(actions.data() + game * genes_, genes_, row_.data());
    Rng rng(seats_[game].play.below(0xffffffff), stream_number("repair"), player);
    repair(state, player, row_.data(), rng);
  });
}

void ConquestGames::act_shares(std::span<const float> actions) {
  if (actions.size() != games() * genes_) throw std::invalid_argument("there must be a row of shares for each game");
  act([&](const auto& state, std::size_t game, int player) {
    genes_of_shares(state, player, actions.data() + game * genes_, row_.data());
  });
}

std::vector<std::size_t> ConquestGames::waiting() const {
  std::vector<std::size_t> found;
  for (std::size_t game = 0; game < games(); ++game)
    if (waits(game)) found.push_back(game);
  return found;
}

ConquestGames::Draws ConquestGames::answer(std::size_t game, const Orders& orders) {
  Seat& seat = seats_[game];
  pending_[game] = 0;
  const int first = static_cast<int>(seat.play.below(2));
  const std::uint64_t seed = seat.play.below(0xffffffff);
  states_[game].visit([&](auto& state) {
    Rng rng(seed, stream_number("resolve"), state.turn());
    if (seat.side == 0) state.resolve(orders_[game], orders, first, rng);
    else state.resolve(orders, orders_[game], first, rng);
  });
  return {first, seed};
}

void ConquestGames::observe() {
  for (std::size_t game = 0; game < games(); ++game) observe(game);
}

void ConquestGames::observe(std::size_t game) {
  Seat& seat = seats_[game];
  states_[game].visit([&]<class Size>(const State<Size>& state) {
    const bool over = state.over() || seat.forfeited;
    const double result = seat.forfeited ? (*seat.forfeited == seat.side ? -1 : 1) : over ? Game<Size>::value(state, seat.side) : 0;
    rewards[game] = seat.reward(terms_, over, result, over || terms_.shaping == 0 ? 0 : share_value(state, seat.side));
    seat.ended = over && !seat.begun;
    outcomes[game] = static_cast<std::uint8_t>(seat.ended ? Outcome::kEnded : Outcome::kGoesOn);
    observer_.encode(state, seat.side, observations.data() + game * observer_.size());
  });
}

}  // namespace sandtable::environments
