// Groups of games of Conquest, and its positions as arrays, for Python. The public face is sandtable.adapters.
#include "bindings/conquest_objects.h"
#include "bindings/environments.h"
#include "environments/conquest.h"

namespace sandtable {
namespace {

using environments::ConquestGames, environments::ConquestObserver;
using Group = PyGames<ConquestGames>;

}  // namespace

void bind_conquest_environments(nb::module_& m) {
  bind_observer<ConquestObserver, PyConquestState>(m, "Positions of one map as arrays of fixed sizes.",
                                                   "`encoder` is graph or soares2025.")
      .def_prop_ro("node_size", &ConquestObserver::node_size)
      .def_prop_ro("totals_size", &ConquestObserver::totals_size)
      .def("encode",
           [](ConquestObserver& self, const PyConquestState& state, int player) {
             return Floats(owned(self.encode(state.state, player)));
           },
           "state"_a, "player"_a, "The nodes and then the totals, from the player's perspective.")
      .def("genes_of_shares",
           [](const ConquestObserver& self, const PyConquestState& state, int player, Floats given) {
             nb::ndarray<const float, nb::c_contig, nb::device::cpu> array;
             const auto shares = read_actions<float>(given, array, "shares are a float32 array");
             return Genes(owned(self.genes_of_shares(state.state, player, shares)));
           },
           "state"_a, "player"_a, "shares"_a, "Legal genes from shares of the income and of the armies.");

  auto group = bind_games<ConquestGames, PyConquestState>(m, "Many games on one map, against an opponent.",
                                                          "`opponent` is random or elsewhere; answer() takes the orders of one elsewhere.");
  group.def("act_genes", acts<Genes>(&ConquestGames::act_genes, "actions are an int32 array"), "actions"_a,
            "Play a row of genes, repaired, in every game; where a game has ended, a new one begins.")
      .def("act_shares", acts<Floats>(&ConquestGames::act_shares, "actions are a float32 array"), "actions"_a,
           "The same with shares of the income and of the armies.")
      .def("answer",
           [](Group& self, std::size_t game, GivenOrders orders) {
             return self.call(&ConquestGames::answer, game, read_orders(orders));
           },
           "game"_a, "orders"_a,
           "Resolve the turn with the opponent's orders. Returns who marched first, and the seed of the random order.")
      .def("orders", [](Group& self, std::size_t game) { return order_list(self.call(&ConquestGames::orders, game)); }, "game"_a,
           "The learner's orders in the current turn.")
      .def_prop_ro("genes", [](Group& self) { return self.shared.games().genes(); });
}

}  // namespace sandtable
