// Groups of games of Conquest, and its positions as arrays, for Python. The public face is sandtable.adapters.
#include "bindings/conquest_objects.h"
#include "bindings/environments.h"
#include "environments/conquest.h"

namespace sandtable {
namespace {

using environments::ConquestGames, environments::ConquestObserver;
using Group = PyGames<ConquestGames>;

void bind_observer(nb::module_& m) {
  nb::class_<ConquestObserver>(m, "Observer", "Positions of one map as arrays of fixed sizes.")
      .def("__init__",
           [](ConquestObserver* self, const PyConquestState& start, const std::string& encoder) {
             new (self) ConquestObserver(start.state, encoder);
           },
           "start"_a, "encoder"_a, "`encoder` is graph or soares2025.")
      .def_prop_ro("node_size", &ConquestObserver::node_size)
      .def_prop_ro("totals_size", &ConquestObserver::totals_size)
      .def("encode",
           [](ConquestObserver& self, const PyConquestState& state, int player) {
             conquest::checked_player(player);
             std::vector<float> values(self.size());
             observed(self, state, [&](const auto& one) { self.encode(one, player, values.data()); });
             return Floats(owned(std::move(values)));
           },
           "state"_a, "player"_a, "The nodes and then the totals, as the player sees them.")
      .def("genes_of_shares",
           [](const ConquestObserver& self, const PyConquestState& state, int player, nb::handle given) {
             conquest::checked_player(player);
             nb::ndarray<const float, nb::c_contig, nb::device::cpu> array;
             const auto shares = read_actions<float>(given, array, "shares are a float32 array");
             return observed(self, state, [&](const auto& one) {
               std::vector<std::int32_t> genes(static_cast<std::size_t>(conquest::gene_count(one.land())));
               require(shares.size() == genes.size(), "there must be a share for each gene");
               environments::genes_of_shares(one, player, shares.data(), genes.data());
               return Annotated<"numpy.typing.NDArray[numpy.int32]">(owned(std::move(genes)));
             });
           },
           "state"_a, "player"_a, "shares"_a,
           nb::sig("def genes_of_shares(self, state: State, player: int, shares: numpy.typing.NDArray[numpy.float32]) -> "
                   "numpy.typing.NDArray[numpy.int32]"),
           "The legal genes of shares of the income and of the armies.");
}

void act_genes(Group& self, nb::handle given) {
  nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu> array;
  const auto actions = read_actions<std::int32_t>(given, array, "actions are an int32 array");
  self.run([&](ConquestGames& games) { games.act_genes(actions); });
}

void act_shares(Group& self, nb::handle given) {
  nb::ndarray<const float, nb::c_contig, nb::device::cpu> array;
  const auto actions = read_actions<float>(given, array, "actions are a float32 array");
  self.run([&](ConquestGames& games) { games.act_shares(actions); });
}

}  // namespace

void bind_conquest_environments(nb::module_& m) {
  bind_observer(m);
  auto group = bind_games<ConquestGames, PyConquestState>(m, "Many games on one map, against an opponent.",
                                                          "`opponent` is random, or elsewhere: then answer() gives its orders.");
  group.def("act_genes", &act_genes, "actions"_a, nb::sig("def act_genes(self, actions: numpy.typing.NDArray[numpy.int32]) -> None"),
            "A row of genes for every game, repaired; where a game has ended a new one begins.")
      .def("act_shares", &act_shares, "actions"_a, nb::sig("def act_shares(self, actions: numpy.typing.NDArray[numpy.float32]) -> None"),
           "The same with shares of the income and of the armies.")
      .def("answer",
           [](Group& self, std::size_t game, nb::handle orders) {
             require(game < self.games.games(), "there is no such game in the group");
             require(self.games.waits(game), "this game does not wait for the opponent");
             const conquest::Orders read = read_orders(orders);
             self.games.state(game).visit([&](const auto& state) { check_legal(state, 1 - self.games.seat(game).side, read); });
             const auto [first, seed] = self.run([&](ConquestGames& games) { return games.answer(game, read); });
             return std::tuple(first, seed);
           },
           "game"_a, "orders"_a,
           nb::sig("def answer(self, game: int, orders: collections.abc.Sequence[collections.abc.Sequence[int]]) -> tuple[int, int]"),
           "The orders of the opponent, which resolve the turn: who marched first, and the seed that resolved it.")
      .def("orders",
           [](Group& self, std::size_t game) { return order_list(self.run(game, [&](ConquestGames& games) { return games.orders(game); })); },
           "game"_a, "The learner's orders of the turn under way.")
      .def_prop_ro("genes", [](const Group& self) { return self.games.genes(); });
}

}  // namespace sandtable
