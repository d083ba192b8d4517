// Conquest for Python. Orders are passed as lists of the named tuples of sandtable.conquest.types: a deploy is
// (territory, armies), a march is (source, target, armies).
#include "bindings/conquest_objects.h"
#include "bindings/settings.h"
#include "conquest/describe.h"
#include "conquest/genes.h"
#include "conquest/playout.h"

namespace sandtable {
namespace {

using namespace conquest;

using OfLand = Annotated<"sandtable.conquest.land.Land">;

void resolve(PyConquestState& self, nb::handle list0, nb::handle list1, int first, std::uint64_t seed) {
  require(first == 0 || first == 1, "first must be 0 or 1");
  // Both lists are read before either is checked: reading may run Python code, which could itself resolve a turn of
  // this state.
  const Orders orders[2] = {read_orders(list0), read_orders(list1)};
  self.state.visit([&](auto& state) {
    for (int player = 0; player < 2; ++player) check_legal(state, player, orders[player]);
    state.resolve(orders[0], orders[1], first, seed);
  });
}

OrderList sampled_move(const PyConquestState& self, int player, std::uint64_t seed) {
  return self.state.visit([&](const auto& state) {
    Orders orders;
    random_move(state, player, seed, orders);
    return order_list(orders);
  });
}

// A property of the state: the list of read(state, territory) for all territories.
template <class Read>
auto of_territories(Read read) {
  return [read](const PyConquestState& self) -> nb::typed<nb::list, int> {
    return self.state.visit([&](const auto& state) {
      return new_list(static_cast<std::size_t>(state.land().territories()),
                      [&](std::size_t t) { return PyLong_FromLong(read(state, static_cast<int>(t))); });
    });
  };
}

Genes encode_orders(const PyConquestState& self, nb::handle list) {
  const Orders orders = read_orders(list);
  return self.state.visit([&](const auto& state) { return owned(encoded(state.land(), orders)); });
}

// Accepts only int32 arrays of the right length: an array that would have to be converted is more likely a mistake.
template <class Size>
std::vector<std::int32_t> read_genes(const Land<Size>& land, nb::handle object) {
  nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> genes;
  if (!nb::try_cast(object, genes, false) || genes.size() != static_cast<std::size_t>(gene_count(land)))
    throw nb::value_error(("genes are an int32 array of length " + std::to_string(gene_count(land))).c_str());
  return {genes.data(), genes.data() + genes.size()};
}

OrderList decode_genes(const PyConquestState& self, nb::handle genes) {
  return self.state.visit([&](const auto& state) { return order_list(decoded(state.land(), read_genes(state.land(), genes))); });
}

Genes repaired(const PyConquestState& self, nb::handle object, int player, std::uint64_t seed) {
  return self.state.visit([&](const auto& state) {
    auto genes = read_genes(state.land(), object);
    repair(state, player, genes, seed);
    return owned(std::move(genes));
  });
}

auto run_playouts(const PyConquestState& self, std::uint64_t first, std::uint64_t last, std::uint64_t seed) {
  Playouts sums;
  computed(self, [&](const auto& state) { playouts(state, first, last, seed, sums); });
  return std::tuple(sums.wins0, sums.wins1, sums.ties, sums.turns);
}

void init_state(PyConquestState* self, const Rules& rules, int territories, const std::vector<std::pair<int, int>>& edges,
                const std::vector<std::pair<int, std::vector<int>>>& bonuses) {
  Setup setup{rules, territories, edges, {}};
  for (const auto& [value, members] : bonuses) setup.bonuses.push_back({value, members});
  new (self) PyConquestState{make_state(setup), nb::none()};
}

PyConquestState begun(const PyConquestState& self, OfLand land, std::uint64_t seed) {
  PyConquestState copy{self.state, std::move(land)};
  copy.state.visit([&](auto& state) { random_start(state, seed); });
  return copy;
}

PyConquestState placed(const PyConquestState& self, OfLand land, const std::vector<int>& owner, const std::vector<int>& armies,
                       int turn) {
  PyConquestState copy{self.state, std::move(land)};
  copy.state.visit([&](auto& state) { state.set_all(owner, armies, turn); });
  return copy;
}

}  // namespace

void bind_conquest(nb::module_& m) {
  m.attr("VERSION") = kVersion;
  m.attr("MAX_TERRITORIES") = kMaxTerritories;
  m.attr("MAX_BONUSES") = kMaxBonuses;
  m.attr("MAX_INCOME") = kMaxIncome;
  m.attr("MAX_ARMIES") = kMaxArmies;

  nb::class_<Rules> rules(m, "Rules", "The rules as the engine reads them; made by sandtable.conquest.Rules.");
  bind_fields_init(rules, any_struct<Rules>());

  nb::class_<PyConquestState> state(m, "State", "A position of a game. Land.start() and Land.state() make them.");
  bind_common(state, kNobody);
  state
      .def("__init__", &init_state, nb::kw_only(), "rules"_a, "territories"_a, "edges"_a, "bonuses"_a)
      .def("begun", &begun, "land"_a, "seed"_a, "A random start on the land.")
      .def("placed", &placed, "land"_a, "owner"_a, "armies"_a, "turn"_a, "A position on the land.")
      .def_prop_ro("land", [](const PyConquestState& self) { return OfLand(self.origin); }, "The map that the game is played on.")
      .def_prop_ro("owner", of_territories([](const auto& state, int t) { return state.owner(t); }),
                   "The owner of each territory: -1 (neutral), 0 or 1.")
      .def_prop_ro("armies", of_territories([](const auto& state, int t) { return state.armies(t); }),
                   "The armies on each territory.")
      .def(
          "income",
          [](const PyConquestState& self, int player) {
            return self.state.visit([player = checked_player(player)](const auto& state) { return state.income(player); });
          },
          "player"_a, "Armies that the player may deploy this turn.")
      .def("random_move", &sampled_move, "player"_a, "seed"_a, "A random move as the Monte-Carlo players sample it.")
      .def("resolve", &resolve, "orders0"_a.none(), "orders1"_a.none(), "first"_a = 0, "seed"_a = 0,
           nb::sig("def resolve(self, orders0: collections.abc.Sequence[collections.abc.Sequence[int]], orders1: "
                   "collections.abc.Sequence[collections.abc.Sequence[int]], first: int = 0, seed: int = 0) -> None"),
           "Carry out the orders of both players, in place; `first` marches first. `seed` matters only under rules\n"
           "with a random order; every turn has its own shuffle. Raises ValueError with the reason if an order is illegal.")
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
           "Similar genes that are a legal move of the player and deploy its whole income.")
      .def("__reduce__",
           [](nb::handle self) -> Reduced {
             return nb::make_tuple(self.attr("land").attr("state"),
                                   nb::make_tuple(self.attr("owner"), self.attr("armies"), self.attr("turn")));
           });

  m.def("playouts", &run_playouts, "state"_a, "first"_a, "last"_a, "seed"_a,
        "The results of playouts first .. last-1 of the seed: (wins0, wins1, ties, turns).");
  bind_conquest_environments(m);
  bind_conquest_evaluator(m);
  bind_conquest_search(m);
}

}  // namespace sandtable
