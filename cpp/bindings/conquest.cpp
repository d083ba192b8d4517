// Conquest for Python. Orders cross the border as lists of the named tuples of sandtable.conquest.types: a deploy is
// (territory, armies), a march is (source, target, armies).
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>

#include "bindings/conquest_objects.h"
#include "bindings/games.h"
#include "bindings/states.h"
#include "conquest/genes.h"
#include "conquest/orders.h"
#include "conquest/playout.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sandtable {
namespace {

using namespace conquest;

using Genes = nb::ndarray<std::int32_t, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using GivenGenes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void resolve(PyConquestState& self, nb::handle list0, nb::handle list1, int first, std::uint64_t seed) {
  if (first != 0 && first != 1) throw nb::value_error("first must be 0 or 1");
  // Both are read before either is judged: reading may run Python code, which could resolve a turn of its own.
  const Orders orders[2] = {read_orders(list0), read_orders(list1)};
  self.state.visit([&](auto& state) {
    for (int player = 0; player < 2; ++player) {
      const std::string reason = illegal(state, player, orders[player]);
      if (!reason.empty()) throw nb::value_error(("illegal orders: " + reason).c_str());
    }
    Rng rng(seed, stream_number("resolve"), state.turn());
    state.resolve(orders[0], orders[1], first, rng);
  });
}

nb::object sampled_move(const PyConquestState& self, int player, std::uint64_t seed) {
  check_player(player);
  return self.state.visit([&](const auto& state) {
    if (state.over()) throw nb::value_error("the game is over");
    Rng rng(seed, stream_number("random move"), player);
    Orders orders;
    random_move(state, player, rng, orders);
    return order_list(orders);
  });
}

nb::object numbers(const PyConquestState& self, bool owners) {
  return self.state.visit([&](const auto& state) {
    const int n = state.land().territories();
    nb::object list = nb::steal(PyList_New(n));
    if (!list.is_valid()) throw nb::python_error();
    for (int t = 0; t < n; ++t)
      PyList_SET_ITEM(list.ptr(), t, PyLong_FromLong(owners ? state.owner(t) : state.armies(t)));
    return list;
  });
}

Genes new_genes(int n) {
  auto* data = new std::int32_t[n]();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
  return Genes(data, {static_cast<std::size_t>(n)}, owner);
}

nb::object encode_orders(const PyConquestState& self, nb::handle list) {
  return self.state.visit([&](const auto& state) {
    const Orders orders = read_orders(list);
    const std::string reason = not_encodable(state.land(), orders);
    if (!reason.empty()) throw nb::value_error(reason.c_str());
    Genes genes = new_genes(gene_count(state.land()));
    encode(state.land(), orders, genes.data());
    return nb::cast(genes);
  });
}

// Only int32 arrays of the right length: numbers that would have to be converted are more likely a slip.
template <class Size>
GivenGenes given_genes(const Land<Size>& land, nb::handle object) {
  GivenGenes genes;
  if (!nb::try_cast(object, genes, false) || genes.size() != static_cast<std::size_t>(gene_count(land)))
    throw nb::value_error(("genes are an int32 array of length " + std::to_string(gene_count(land))).c_str());
  return genes;
}

nb::object decode_genes(const PyConquestState& self, nb::handle object) {
  return self.state.visit([&](const auto& state) {
    const GivenGenes genes = given_genes(state.land(), object);
    Orders orders;
    decode(state.land(), genes.data(), orders);
    return order_list(orders);
  });
}

nb::object repaired(const PyConquestState& self, nb::handle object, int player, std::uint64_t seed) {
  check_player(player);
  return self.state.visit([&](const auto& state) {
    const GivenGenes genes = given_genes(state.land(), object);
    Genes result = new_genes(static_cast<int>(genes.size()));
    std::copy(genes.data(), genes.data() + genes.size(), result.data());
    Rng rng(seed, stream_number("repair"), player);
    repair(state, player, result.data(), rng);
    return nb::cast(result);
  });
}

std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t> run_playouts(const PyConquestState& self,
                                                                                    std::uint64_t first,
                                                                                    std::uint64_t last,
                                                                                    std::uint64_t seed) {
  return self.state.visit([&](const auto& shared) {
    const auto state = shared;  // Another thread may play on while this one computes.
    const nb::gil_scoped_release release;
    Playouts sums;
    playouts(state, first, last, seed, sums);
    return std::tuple(sums.wins0, sums.wins1, sums.ties, sums.turns);
  });
}

Rounding rounding_of(const std::string& word) {
  if (word == "nearest") return Rounding::kNearest;
  if (word == "down") return Rounding::kDown;
  if (word == "up") return Rounding::kUp;
  throw std::invalid_argument("rounding must be 'nearest', 'down' or 'up'");
}

Order order_of(const std::string& word) {
  if (word == "alternate") return Order::kAlternate;
  if (word == "random") return Order::kRandom;
  throw std::invalid_argument("order must be 'alternate' or 'random'");
}

void init_state(PyConquestState* self, const Rules& rules, int territories, const std::vector<std::pair<int, int>>& edges,
                const std::vector<std::pair<int, std::vector<int>>>& bonuses) {
  Setup setup{rules, territories, edges, {}};
  for (const auto& [value, members] : bonuses) setup.bonuses.push_back({value, members});
  new (self) PyConquestState{make_state(setup), nb::none()};
}

PyConquestState begun(const PyConquestState& self, nb::object land, std::uint64_t seed) {
  PyConquestState copy = self;
  copy.land = std::move(land);
  copy.state.visit([&](auto& state) {
    if (2 * state.land().rules().start_lands > state.land().territories())
      throw nb::value_error("the map is too small for the rules' start");
    Rng rng(seed, stream_number("start"));
    random_start(state, rng);
  });
  return copy;
}

PyConquestState placed(const PyConquestState& self, nb::object land, const std::vector<int>& owner, const std::vector<int>& armies,
               int turn) {
  PyConquestState copy = self;
  copy.land = std::move(land);
  copy.state.visit([&](auto& state) {
    const std::string reason = state.cannot_be(owner, armies, turn);
    if (!reason.empty()) throw nb::value_error(reason.c_str());
    for (std::size_t t = 0; t < owner.size(); ++t) state.set(static_cast<int>(t), owner[t], armies[t]);
    state.set_turn(turn);
  });
  return copy;
}

}  // namespace

void bind_conquest(nb::module_& m) {
  m.attr("VERSION") = kVersion;
  m.attr("MAX_TERRITORIES") = kMaxTerritories;
  m.attr("MAX_BONUSES") = kMaxBonuses;
  m.attr("MAX_INCOME") = kMaxIncome;

  nb::class_<Rules>(m, "Rules", "The rules as the engine reads them; made by sandtable.conquest.Rules.")
      .def(
          "__init__",
          [](Rules* self, double attack_kills, double defence_kills, const std::string& rounding, int base_income,
             bool stand_guard, const std::string& order, int turn_limit, int start_armies, int start_lands) {
            const Rules rules{attack_kills, defence_kills, rounding_of(rounding), base_income, stand_guard,
                              order_of(order), turn_limit, start_armies, start_lands};
            check(rules);
            new (self) Rules(rules);
          },
          nb::kw_only(), "attack_kills"_a, "defence_kills"_a, "rounding"_a, "base_income"_a, "stand_guard"_a,
          "order"_a, "turn_limit"_a, "start_armies"_a, "start_lands"_a);

  nb::class_<PyConquestState> state(m, "State", "A position of a game. Land.start() and Land.state() make them.");
  bind_common(state, kNobody);
  state
      .def("__init__", &init_state, nb::kw_only(), "rules"_a, "territories"_a, "edges"_a, "bonuses"_a)
      .def("begun", &begun, "land"_a, "seed"_a, nb::sig("def begun(self, land: sandtable.conquest.land.Land, seed: int) -> State"),
           "A random start of the land.")
      .def("placed", &placed, "land"_a, "owner"_a, "armies"_a, "turn"_a,
           nb::sig("def placed(self, land: sandtable.conquest.land.Land, owner: collections.abc.Sequence[int], armies: "
                   "collections.abc.Sequence[int], turn: int) -> State"),
           "A position of the land.")
      .def_prop_ro(
          "land", [](const PyConquestState& self) { return self.land; },
          nb::for_getter(nb::sig("def land(self) -> sandtable.conquest.land.Land")), "The map that the game is played on.")
      .def_prop_ro(
          "owner", [](const PyConquestState& self) { return numbers(self, true); },
          nb::for_getter(nb::sig("def owner(self) -> list[int]")), "Of each territory: -1 neutral, 0 or 1.")
      .def_prop_ro(
          "armies", [](const PyConquestState& self) { return numbers(self, false); },
          nb::for_getter(nb::sig("def armies(self) -> list[int]")), "On each territory.")
      .def_prop_ro("turn", of_state<PyConquestState>([](const auto& state) { return state.turn(); }), "Turns resolved so far.")
      .def(
          "income",
          [](const PyConquestState& s, int player) {
            check_player(player);
            return s.state.visit([&](const auto& state) { return state.income(player); });
          },
          "player"_a, "Armies that the player may deploy this turn.")
      .def("random_move", &sampled_move, "player"_a, "seed"_a,
           nb::sig("def random_move(self, player: int, seed: int) -> list[sandtable.conquest.types.Order]"),
           "A random move as the Monte-Carlo players sample it.")
      .def("resolve", &resolve, "orders0"_a.none(), "orders1"_a.none(), "first"_a = 0, "seed"_a = 0,
           nb::sig("def resolve(self, orders0: collections.abc.Sequence[collections.abc.Sequence[int]], orders1: "
                   "collections.abc.Sequence[collections.abc.Sequence[int]], first: int = 0, seed: int = 0) -> None"),
           "Carry out the orders of both players, in place; `first` marches first. `seed` counts only under rules\n"
           "whose order is random, each turn of a seed having a shuffle of its own. Raises ValueError with the reason if an order is illegal.")
      .def("encode", &encode_orders, "orders"_a.none(),
           nb::sig("def encode(self, orders: collections.abc.Sequence[collections.abc.Sequence[int]]) -> "
                   "numpy.typing.NDArray[numpy.int32]"),
           "Orders as genes: armies deployed on each territory, then marching along each directed edge.")
      .def("decode", &decode_genes, "genes"_a.none(),
           nb::sig("def decode(self, genes: numpy.typing.NDArray[numpy.int32]) -> list[sandtable.conquest.types.Order]"),
           "Genes as orders in canonical form: deploys by territory, marches by edge.")
      .def("repair", &repaired, "genes"_a.none(), "player"_a, "seed"_a,
           nb::sig("def repair(self, genes: numpy.typing.NDArray[numpy.int32], player: int, seed: int) -> "
                   "numpy.typing.NDArray[numpy.int32]"),
           "Genes near these that are a legal move of the player, its whole income deployed.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(self.attr("land").attr("state"),
                                  nb::make_tuple(self.attr("owner"), self.attr("armies"), self.attr("turn")));
          },
          nb::sig("def __reduce__(self) -> tuple[object, tuple[object, ...]]"))
      .def("__repr__", [](const PyConquestState& s) {
        return s.state.visit([](const auto& state) {
          const auto number = [](auto n) { return std::to_string(n); };
          std::string text = "<State turn " + number(state.turn()) + ", ";
          if (state.over()) text += state.winner() == kNobody ? "tie, " : "player " + number(state.winner()) + " won, ";
          return text + number(state.owned(0).count()) + " v " + number(state.owned(1).count()) + " territories>";
        });
      });

  m.def("playouts", &run_playouts, "state"_a, "first"_a, "last"_a, "seed"_a,
        "Playouts first .. last-1 of the seed: (wins0, wins1, ties, turns).");
  bind_conquest_evaluator(m);
  bind_conquest_policy(m);
  bind_conquest_search(m);
}

}  // namespace sandtable
