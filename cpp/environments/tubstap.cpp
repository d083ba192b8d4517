#include "environments/tubstap.h"

#include "tubstap/greedy.h"

namespace sandtable::environments {

using namespace tubstap;

TubstapObserver::TubstapObserver(const AnyState& start, const std::string& encoder)
    : actions_(start.visit([](const auto& state) { return TubstapActions(state.board()); })) {
  start.visit([&](const auto& state) {
    const auto& board = state.board();
    fingerprint_ = board.fingerprint();
    units_ = static_cast<std::size_t>(board.units());
    if (encoder == "graph") {
      const DamageGraphEncoder graph{board.units()};
      size_ = graph.size();
      encoder_ = graph;
    } else if (encoder == "image") {
      const TerrainImageEncoder image{board.width(), board.height()};
      size_ = image.size();
      encoder_ = image;
    } else if (encoder == "tokens") {
      size_ = units_ * TokenBatch::kUnit + TokenBatch::kPair * units_ * units_ + TokenBatch::kGlobal;
      encoder_ = TokenBatch();
    } else {
      throw std::invalid_argument("an observation of tubstap is graph, image or tokens, not '" + encoder + "'");
    }
  });
}

namespace {

template <class Size>
void play(State<Size>& state, const TubstapMove& move) {
  if (move) state.play(*move);
  else state.end_turn();
}

// The opponent's operations until the learner decides again, as the players of these names choose them.
template <class Size>
void play_until(State<Size>& state, int side, Opponent kind, Rng& rng) {
  if (kind == Opponent::kGreedy) {
    with_legal_attacks(state.board().rules(), [&]<Attacks kAttacks>() {
      Prospects<kAttacks, Size> prospects;
      while (!state.over() && state.side() != side) state.play(greedy_operation(state, prospects, rng));
    });
    return;
  }
  while (!state.over() && state.side() != side) {
    Rng of_move(rng.below(0xffffffff), stream_number("random move"));
    state.play(random_operation(state, of_move));
  }
}

}  // namespace

TubstapGames::TubstapGames(const AnyState& start, std::size_t games, const std::string& encoder, const Terms& terms)
    : start_(start), terms_(terms), observer_(start, encoder), states_(games, start), seats_(games) {
  check_group_size(games);
  if (start.visit([](const auto& state) { return state.over(); })) throw std::invalid_argument("the game is over");
  observations.resize(games * observer_.size());
  rosters.resize(games * observer_.roster_size());
  masks.resize(games * static_cast<std::size_t>(observer_.actions().count()));
  rewards.resize(games);
  outcomes.resize(games);
  sides.resize(games);
}

void TubstapGames::begin(std::size_t game) {
  seats_[game].begin(terms_);
  sides[game] = static_cast<std::int8_t>(seats_[game].side);
  states_[game].visit([&]<class Size>(State<Size>& state) {
    start_.visit([&]<class Other>(const State<Other>& start) {
      if constexpr (std::is_same_v<Size, Other>) state = start;  // always: both are of the same scenario
    });
  });
  play_opponent(game);
}

void TubstapGames::play_opponent(std::size_t game) {
  if (terms_.opponent == Opponent::kElsewhere) return;
  Seat& seat = seats_[game];
  states_[game].visit([&](auto& state) { play_until(state, seat.side, terms_.opponent, seat.opponent); });
}

void TubstapGames::act(std::span<const std::int64_t> actions) {
  if (actions.size() != games()) throw std::invalid_argument("there must be one action for each game");
  for (std::size_t game = 0; game < games(); ++game) {
    Seat& seat = seats_[game];
    if (seat.ended) {
      begin(game);
      continue;
    }
    seat.begun = false;
    states_[game].visit([&](auto& state) {
      if (state.over() || seat.forfeited) return;  // decided before the learner's first decision
      TubstapMove move;
      if (observer_.actions().read(state, actions[game], move)) play(state, move);
      else seat.forfeited = seat.side;
    });
    if (!seat.forfeited) play_opponent(game);
  }
}

std::vector<std::size_t> TubstapGames::waiting() const {
  std::vector<std::size_t> found;
  for (std::size_t game = 0; game < games(); ++game) {
    const Seat& seat = seats_[game];
    const bool waits = states_[game].visit([&](const auto& state) { return !state.over() && state.side() != seat.side; });
    if (waits && !seat.ended && !seat.forfeited) found.push_back(game);
  }
  return found;
}

void TubstapGames::answer(std::size_t game, const TubstapMove& move) {
  states_[game].visit([&](auto& state) { play(state, move); });
}

void TubstapGames::observe() {
  for (std::size_t game = 0; game < games(); ++game) observe(game);
}

void TubstapGames::observe(std::size_t game) {
  Seat& seat = seats_[game];
  states_[game].visit([&](const auto& state) {
    const bool over = state.over() || seat.forfeited;
    const int winner = seat.forfeited ? 1 - *seat.forfeited : state.winner();
    const double result = winner == kNobody ? 0 : winner == seat.side ? 1 : -1;
    rewards[game] = seat.reward(terms_, over, result, over || terms_.shaping == 0 ? 0 : hp_value(state, seat.side));
    seat.ended = over && !seat.begun;
    const Outcome outcome = !seat.ended                      ? Outcome::kGoesOn
                            : seat.forfeited == seat.side ? Outcome::kIllegal
                                                             : Outcome::kEnded;
    outcomes[game] = static_cast<std::uint8_t>(outcome);
    observer_.encode(state, observations.data() + game * observer_.size());
    observer_.write_roster(state, seat.side, rosters.data() + game * observer_.roster_size());
    observer_.actions().write_mask(state, masks.data() + game * static_cast<std::size_t>(observer_.actions().count()));
  });
}

}  // namespace sandtable::environments
