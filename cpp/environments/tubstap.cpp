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
      throw std::invalid_argument("encoder must be graph, image or tokens, not '" + encoder + "'");
    }
  });
}

std::vector<float> TubstapObserver::encode(const AnyState& any) {
  std::vector<float> values(size_);
  observed(any, [&](const auto& state) { encode(state, values.data()); });
  return values;
}

std::vector<float> TubstapObserver::roster(const AnyState& any, int side) const {
  require(side == 0 || side == 1, "side must be 0 or 1");
  std::vector<float> values(roster_size());
  observed(any, [&](const auto& state) { write_roster(state, side, values.data()); });
  return values;
}

std::vector<std::uint8_t> TubstapObserver::mask(const AnyState& any) const {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(actions_.count()));
  observed(any, [&](const auto& state) { actions_.write_mask(state, mask.data()); });
  return mask;
}

TubstapMove TubstapObserver::move(const AnyState& any, std::int64_t action) const {
  TubstapMove move;
  if (!observed(any, [&](const auto& state) { return actions_.read(state, action, move); }))
    throw std::invalid_argument("action " + std::to_string(action) + " is illegal here; the mask says which are legal");
  return move;
}

std::int64_t TubstapObserver::action(const AnyState& any, const NamedMove& move) const {
  return observed(any, [&](const auto& state) { return actions_.number(state, legal_move(state, move)); });
}

namespace {

template <class Size>
void play(State<Size>& state, const TubstapMove& move) {
  if (move) state.play(*move);
  else state.end_turn();
}

// Plays the opponent's operations until the learner is to move again, as the players of these names choose them.
template <class Size>
void play_until(State<Size>& state, int side, Opponent kind, Rng& rng) {
  if (kind == Opponent::kGreedy) {
    with_legal_attacks(state.board().rules(), [&]<Attacks kAttacks>() {
      Prospects<kAttacks, Size> prospects;
      while (!state.over() && state.side() != side) state.play(greedy_operation(state, prospects, rng));
    });
    return;
  }
  while (!state.over() && state.side() != side) state.play(random_move(state, rng.below(0xffffffff)));
}

}  // namespace

TubstapGames::TubstapGames(const AnyState& start, std::size_t games, const std::string& encoder, const GroupSettings& settings)
    : Group(start, games, encoder, settings), start_(start) {
  require(!start.visit([](const auto& state) { return state.over(); }), "the game is over");
  rosters.resize(games * observer_.roster_size());
  masks.resize(games * static_cast<std::size_t>(observer_.actions().count()));
}

void TubstapGames::begin(std::size_t game) {
  slots_[in_group(game)].begin(settings_);
  sides[game] = static_cast<std::int8_t>(slots_[game].side);
  states_[game].visit([&]<class Size>(State<Size>& state) {
    start_.visit([&]<class Other>(const State<Other>& start) {
      if constexpr (std::is_same_v<Size, Other>) state = start;  // always: both are of the same scenario
    });
  });
  play_opponent(game);
}

void TubstapGames::play_opponent(std::size_t game) {
  if (settings_.opponent == Opponent::kElsewhere) return;
  Slot& slot = slots_[game];
  states_[game].visit([&](auto& state) { play_until(state, slot.side, settings_.opponent, slot.opponent); });
}

void TubstapGames::act(std::span<const std::int64_t> actions) {
  require(actions.size() == games(), "there must be one action for each game");
  for (std::size_t game = 0; game < games(); ++game) {
    Slot& slot = slots_[game];
    if (slot.ended) {
      begin(game);
      continue;
    }
    slot.begun = false;
    states_[game].visit([&](auto& state) {
      if (state.over() || slot.forfeited) return;  // the game ended before the learner's first decision
      TubstapMove move;
      if (observer_.actions().read(state, actions[game], move)) play(state, move);
      else slot.forfeited = slot.side;
    });
    if (!slot.forfeited) play_opponent(game);
  }
}

std::vector<std::size_t> TubstapGames::waiting() const {
  return games_where([&](std::size_t game) {
    const Slot& slot = slots_[game];
    const bool theirs = states_[game].visit([&](const auto& state) { return !state.over() && state.side() != slot.side; });
    return theirs && !slot.ended && !slot.forfeited;
  });
}

void TubstapGames::answer(std::size_t game, const NamedMove& move) {
  states_[in_group(game)].visit([&](auto& state) {
    require(state.over() || state.side() != slots_[game].side, "it is the learner's move");
    play(state, legal_move(state, move));
  });
}

void TubstapGames::observe() {
  for (std::size_t game = 0; game < games(); ++game) observe_one(game);
}

void TubstapGames::observe_one(std::size_t game) {
  Slot& slot = slots_[in_group(game)];
  states_[game].visit([&](const auto& state) {
    const bool over = state.over() || slot.forfeited;
    const int winner = slot.forfeited ? 1 - *slot.forfeited : state.winner();
    const double result = winner == kNobody ? 0 : winner == slot.side ? 1 : -1;
    rewards[game] = slot.reward(settings_, over, result, over || settings_.shaping == 0 ? 0 : hp_value(state, slot.side));
    slot.ended = over && !slot.begun;
    const Outcome outcome = !slot.ended                      ? Outcome::kGoesOn
                            : slot.forfeited == slot.side ? Outcome::kIllegal
                                                             : Outcome::kEnded;
    outcomes[game] = static_cast<std::uint8_t>(outcome);
    observer_.encode(state, observations.data() + game * observer_.size());
    observer_.write_roster(state, slot.side, rosters.data() + game * observer_.roster_size());
    observer_.actions().write_mask(state, masks.data() + game * static_cast<std::size_t>(observer_.actions().count()));
  });
}

}  // namespace sandtable::environments
