// Keys of cached answers: if two positions differ in the arrays that a network is shown, or in the moves that its
// answer is about, their keys must differ too. Positions come in families that differ in one thing: a rule, a cell, a
// unit, the clock, the player, a bonus; all pairs of a family are compared.
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "conquest/any_state.h"
#include "conquest/encoders/territory_features.h"
#include "conquest/encoders/territory_graph.h"
#include "conquest/playout.h"
#include "evaluation/evaluator.h"
#include "tests/check.h"
#include "tests/random_maps.h"
#include "tubstap/any_state.h"
#include "tubstap/encoders/policy_encoder.h"
#include "tubstap/encoders/value_encoder.h"
#include "tubstap/game.h"

namespace sandtable::tests {
namespace {

// The network's inputs, as bytes, and the key.
struct Shown {
  std::string bytes;
  std::uint64_t key;

  template <class T>
  void add(const T* values, std::size_t n) {
    bytes.append(reinterpret_cast<const char*>(&n), sizeof(n));
    bytes.append(reinterpret_cast<const char*>(values), n * sizeof(T));
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.data(), values.size());
  }
};

struct Pairs {
  int different = 0, same = 0;

  void compare(const std::vector<Shown>& family) {
    bool apart = true;
    for (std::size_t i = 0; i < family.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool equal = family[i].bytes == family[j].bytes;
        ++(equal ? same : different);
        apart = apart && (equal || family[i].key != family[j].key);
      }
    }
    CHECK(apart);
  }
};

template <class Encoder, class Question>
Shown shown_alone(const Encoder& encoder, const Question& question, typename Encoder::Batch& batch) {
  static_assert(evaluation::EncodesQuestion<Encoder, Question>);
  encoder.begin(question, batch);
  const auto key = encoder.key(question, batch);
  CHECK(key.has_value());
  encoder.add(question, batch);
  encoder.finish(batch);
  return {{}, key.value_or(0)};
}

// TUBSTAP.

namespace tub = tubstap;

using Change = std::function<void(tub::Setup&, Rng&)>;

const Change kChanges[] = {
    [](tub::Setup& s, Rng& rng) { s.rules.power[rng.below(tub::kKinds)][rng.below(tub::kKinds)] += 40; },
    [](tub::Setup& s, Rng& rng) { s.rules.movement[rng.below(tub::kKinds)] += 1; },
    [](tub::Setup& s, Rng& rng) { s.rules.air[rng.below(tub::kKinds)] ^= true; },
    [](tub::Setup& s, Rng& rng) { s.rules.range[rng.below(tub::kKinds)] = {1, 3}; },
    [](tub::Setup& s, Rng& rng) { s.rules.defence[1 + rng.below(tub::kTerrains - 1)] += 2; },
    [](tub::Setup& s, Rng& rng) { s.rules.cost[rng.below(tub::kKinds)][1 + rng.below(tub::kTerrains - 1)] = between(rng, 0, 3); },
    [](tub::Setup& s, Rng&) { s.rules.real_hp ^= true; },
    [](tub::Setup& s, Rng&) { s.rules.harmless_attacks ^= true; },
    [](tub::Setup& s, Rng& rng) { s.rules.turn_limit = between(rng, 2, 40); },
    [](tub::Setup& s, Rng&) { s.rules.turn_limit.reset(), s.rules.quiet_limit = 30; },
    [](tub::Setup& s, Rng& rng) { s.rules.quiet_limit = between(rng, 2, 40); },
    [](tub::Setup& s, Rng&) { s.rules.hp_threshold.reset(); },
    [](tub::Setup& s, Rng& rng) { s.rules.hp_threshold = 5 * rng.uniform(); },
    [](tub::Setup& s, Rng& rng) { s.terrain[rng.below(static_cast<std::uint32_t>(s.terrain.size()))] = static_cast<std::uint8_t>(between(rng, 0, 6)); },
    [](tub::Setup& s, Rng&) { std::swap(s.width, s.height); },
    [](tub::Setup& s, Rng&) { s.turn += 1; },
    [](tub::Setup& s, Rng&) { s.turn += 2; },
    [](tub::Setup& s, Rng&) { s.quiet += 1; },
    [](tub::Setup& s, Rng&) { s.hp_lost ^= true; },
    [](tub::Setup& s, Rng&) { s.units.pop_back(); },
    [](tub::Setup& s, Rng&) { std::swap(s.units.front(), s.units.back()); },
};

const Change kUnitChanges[] = {
    [](tub::Setup& s, Rng& rng) { s.units[rng.below(static_cast<std::uint32_t>(s.units.size()))].kind = between(rng, 0, tub::kKinds - 1); },
    [](tub::Setup& s, Rng& rng) { s.units[rng.below(static_cast<std::uint32_t>(s.units.size()))].side ^= 1; },
    [](tub::Setup& s, Rng& rng) { s.units[rng.below(static_cast<std::uint32_t>(s.units.size()))].x += 1; },
    [](tub::Setup& s, Rng& rng) { s.units[rng.below(static_cast<std::uint32_t>(s.units.size()))].y += 1; },
    [](tub::Setup& s, Rng& rng) { s.units[rng.below(static_cast<std::uint32_t>(s.units.size()))].hp = between(rng, 0, 10); },
    [](tub::Setup& s, Rng& rng) { s.units[rng.below(static_cast<std::uint32_t>(s.units.size()))].acted ^= true; },
};

// The lead in HP of the side that is ahead.
double lead_of(const tub::Setup& setup) {
  double lead = 0;
  for (const auto& unit : setup.units) lead += unit.side == 0 ? unit.hp : -unit.hp;
  return lead < 0 ? -lead : lead;
}

// A position, and the playable ones among positions that differ from it in one thing.
std::vector<tub::AnyState> family_of(const tub::Setup& base, Rng& rng) {
  std::vector<tub::Setup> setups{base};
  const auto add = [&](const Change& change) {
    setups.push_back(base);
    change(setups.back(), rng);
  };
  for (const Change& change : kChanges) add(change);
  for (int i = 0; i < 3; ++i)
    for (const Change& change : kUnitChanges) add(change);
  // Thresholds less than 1 above and below the lead decide who would win.
  for (const double off : {-0.3, 0.3})
    add([&](tub::Setup& s, Rng&) { s.rules.turn_limit = 30, s.rules.hp_threshold = lead_of(s) + off; });
  std::vector<tub::AnyState> states;
  for (const tub::Setup& setup : setups) {
    try {
      auto state = tub::make_state(setup);
      if (!state.visit([](const auto& one) { return one.over(); })) states.push_back(std::move(state));
    } catch (const std::invalid_argument&) {
      continue;  // a change that the game does not allow
    }
  }
  return states;
}

template <class Encoder, class AnyState, class Show>
std::vector<Shown> show_all(const Encoder& encoder, const std::vector<AnyState>& states, Show&& show) {
  std::vector<Shown> family;
  typename Encoder::Batch batch;
  for (const auto& any : states) {
    any.visit([&](const auto& state) {
      try {
        encoder.check(state.board());
      } catch (const std::invalid_argument&) {
        return;  // the network is not made for such boards
      }
      family.push_back(show(state, batch));
    });
  }
  return family;
}

void check_values(const tub::ValueEncoder& encoder, const std::vector<tub::AnyState>& states, Pairs& pairs) {
  pairs.compare(show_all(encoder, states, [&](const auto& state, auto& batch) {
    Shown shown = shown_alone(encoder, state, batch);
    shown.add(batch.values.data(), batch.floats);
    return shown;
  }));
}

void check_policies(const tub::PolicyEncoder& encoder, const std::vector<tub::AnyState>& states, Pairs& pairs) {
  pairs.compare(show_all(encoder, states, [&]<class State>(const State& state, auto& batch) {
    std::vector<tub::Operation> moves;
    tub::Game<typename State::Size>::moves(state, moves);
    Shown shown = shown_alone(encoder, tub::PolicyQuestion{state, std::span(moves)}, batch);
    std::vector<std::int64_t> places;
    if (auto* units = std::get_if<tub::UnitQuestionBatch>(&batch.arrays)) {
      shown.add(units->planes(), units->rows() * tub::UnitQuestionBatch::kPlanes * tub::UnitQuestionBatch::kCells);
      units->places(state, moves, places);
    } else {
      auto& tokens = std::get<tub::TokenBatch>(batch.arrays);
      tokens.assemble();
      const std::size_t n = tokens.widest(), m = tokens.moves();
      shown.add(tokens.units_array(), n * tub::TokenBatch::kUnit);
      shown.add(tokens.pairs_array(), n * n * tub::TokenBatch::kPair);
      shown.add(tokens.globals_array(), tub::TokenBatch::kGlobal);
      shown.add(tokens.moves_array(), m * tub::TokenBatch::kMove);
      shown.add(tokens.actor_array(), m);
      shown.add(tokens.target_array(), m);
    }
    shown.add(places);
    for (const auto& move : moves)  // priors are cached by the places of the moves
      for (const int part : {static_cast<int>(move.unit), static_cast<int>(move.cell), static_cast<int>(move.target)}) shown.add(&part, 1);
    return shown;
  }));
}

void test_keys_of_tubstap() {
  Rng rng(17);
  std::vector<tub::ValueEncoder> values;
  values.emplace_back(tub::AttackGraphEncoder{.side_rows = 6});
  values.emplace_back(tub::AttackGraphEncoder{.side_rows = 6, .scaled = false});
  for (const auto planes : {tub::UnitImageEncoder::Planes::kFirst, tub::UnitImageEncoder::Planes::kText})
    values.emplace_back(tub::UnitImageEncoder{.width = 6, .height = 6, .planes = planes});
  values.emplace_back(tub::DamageGraphEncoder{.rows = 12});
  values.emplace_back(tub::TerrainImageEncoder{.width = 6, .height = 6});
  values.emplace_back(tub::CombinedEncoder{{.rows = 12}, {.width = 6, .height = 6}});
  const tub::PolicyEncoder tokens("tokens"), unit_question("unit-question");
  std::vector<Pairs> of_values(values.size());
  Pairs of_tokens, of_units;
  for (int round = 0; round < 40; ++round) {
    tub::Setup base = tubstap_maps::random_setup(rng, 9, 8);
    if (round % 2) {  // a board that images and unit questions can show
      while (base.width * base.height < 25) base = tubstap_maps::random_setup(rng, 9, 8);
      base.width = base.height = 6;
      base.terrain.resize(36, 1);
      for (auto& unit : base.units) {
        const int cell = static_cast<int>(&unit - base.units.data()) * 4 + between(rng, 0, 3);
        unit.x = cell % 6 + 1, unit.y = cell / 6 + 1;
        base.terrain[static_cast<std::size_t>(cell)] = 1;
      }
      for (auto& range : base.rules.range) range = {1, 1};
    }
    const auto states = family_of(base, rng);
    for (std::size_t i = 0; i < values.size(); ++i) check_values(values[i], states, of_values[i]);
    check_policies(tokens, states, of_tokens);
    check_policies(unit_question, states, of_units);
  }
  for (const Pairs& pairs : of_values) CHECK(pairs.different > 2000 && pairs.same > 100);
  CHECK(of_tokens.different > 2000 && of_units.different > 2000 && of_units.same > 100);
}

// Conquest.

namespace con = conquest;

struct Position {
  con::Setup setup;
  std::vector<int> owner, armies;
  int turn = 0, player = 0;
};

using PositionChange = std::function<void(Position&, Rng&)>;

std::size_t any_of(std::size_t n, Rng& rng) { return rng.below(static_cast<std::uint32_t>(n)); }

const PositionChange kPositionChanges[] = {
    [](Position& p, Rng&) { p.player ^= 1; },
    [](Position& p, Rng&) { p.turn += 1; },
    [](Position& p, Rng& rng) { p.owner[any_of(p.owner.size(), rng)] = between(rng, -1, 1); },
    [](Position& p, Rng& rng) { p.armies[any_of(p.armies.size(), rng)] += 1; },
    [](Position& p, Rng& rng) { p.armies[any_of(p.armies.size(), rng)] += 1000; },
    [](Position& p, Rng&) { p.setup.rules.base_income += 1; },
    [](Position& p, Rng&) { p.setup.rules.turn_limit += 7; },
    [](Position& p, Rng&) { p.setup.rules.attack_kills += 0.1; },
    [](Position& p, Rng&) { p.setup.rules.stand_guard ^= true; },
    [](Position& p, Rng&) { p.setup.edges.pop_back(); },
    [](Position& p, Rng& rng) { p.setup.edges.emplace_back(any_of(p.owner.size(), rng), any_of(p.owner.size(), rng)); },
    [](Position& p, Rng&) { p.setup.bonuses.clear(); },
    [](Position& p, Rng& rng) { p.setup.bonuses.at(any_of(p.setup.bonuses.size(), rng)).value += 1; },
    [](Position& p, Rng& rng) { p.setup.bonuses.at(any_of(p.setup.bonuses.size(), rng)).territories.push_back(0); },
    [](Position& p, Rng& rng) { p.setup.bonuses.push_back({0, {between(rng, 0, 3)}}); },
    [](Position& p, Rng&) { std::swap(p.setup.bonuses.at(0), p.setup.bonuses.at(1)); },
    // One bonus of value 0, and the same territories in two.
    [](Position& p, Rng&) { p.setup.bonuses.push_back({0, {0, 1, 2, 3}}); },
    [](Position& p, Rng&) { p.setup.bonuses.insert(p.setup.bonuses.end(), {{0, {0, 1}}, {0, {2, 3}}}); },
};

template <class Encoder, class Show>
void check_family(const Encoder& encoder, const Position& base, Rng rng, Pairs& pairs, Show&& show) {
  std::vector<Shown> family;
  typename Encoder::Batch batch;
  const auto add = [&](const Position& p) {
    try {
      auto any = con::make_state(p.setup);
      any.visit([&](auto& state) {
        for (int t = 0; t < state.land().territories(); ++t)
          state.set(t, p.owner[static_cast<std::size_t>(t)], p.armies[static_cast<std::size_t>(t)]);
        state.set_turn(p.turn);
        Shown shown = shown_alone(encoder, con::TurnQuestion{state, p.player}, batch);
        show(batch, shown);
        family.push_back(std::move(shown));
      });
    } catch (const std::invalid_argument&) {
      return;  // a change that the game, or the network, does not allow
    }
  };
  add(base);
  for (const PositionChange& change : kPositionChanges) {
    Position changed = base;
    try {
      change(changed, rng);
    } catch (const std::out_of_range&) {
      continue;  // no bonus to change
    }
    add(changed);
  }
  pairs.compare(family);
}

void test_keys_of_conquest() {
  Rng rng(23);
  Pairs of_scaled, of_raw, of_text, of_features;
  for (int round = 0; round < 60; ++round) {
    Position base{conquest_maps::random_setup(rng, round % 10 ? 12 : 80), {}, {}};
    for (int t = 0; t < base.setup.territories; ++t) {
      base.owner.push_back(between(rng, -1, 1));
      base.armies.push_back(between(rng, 0, 6));
    }
    const auto show_graph = [](const con::TerritoryGraphBatch& batch, Shown& shown) {
      shown.add(batch.map.edges);
      shown.add(batch.map.members);
      shown.add(batch.map.cliques);
      shown.add(batch.map.shares);
      shown.add(batch.nodes);
      shown.add(batch.totals);
    };
    check_family(con::TerritoryGraphEncoder{}, base, rng, of_scaled, show_graph);
    check_family(con::TerritoryGraphEncoder{.scaled = false}, base, rng, of_raw, show_graph);
    con::make_state(base.setup).visit([&](const auto& state) {
      check_family(con::TerritoryGraphEncoder::with_text_inputs(state.land(), "this one", true), base, rng, of_text, show_graph);
    });
    check_family(con::TerritoryFeatures{}, base, rng, of_features, [](const con::FeatureBatch& batch, Shown& shown) {
      con::FeatureMap map = batch.map;
      map.lay_out();
      shown.add(map.edges);
      shown.add(map.kin);
      shown.add(batch.nodes);
      shown.add(batch.totals);
    });
    rng.next();
  }
  for (const Pairs& pairs : {of_scaled, of_raw, of_text, of_features}) CHECK(pairs.different > 1000 && pairs.same > 50);
}

}  // namespace

void test_encoder_keys() {
  test_keys_of_tubstap();
  test_keys_of_conquest();
}

}  // namespace sandtable::tests
