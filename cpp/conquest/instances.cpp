// The larger functions, compiled once for all sizes, and apart from the searches: in translation units as large as theirs
// GCC inlines less, which makes playouts and coevolution a tenth slower.
#include "conquest/genes.h"
#include "conquest/orders.h"
#include "conquest/random_move.h"

namespace sandtable::conquest {

template void State<Small>::resolve(const Orders&, const Orders&, int, Rng&);
template void State<Large>::resolve(const Orders&, const Orders&, int, Rng&);
template void State<Huge>::resolve(const Orders&, const Orders&, int, Rng&);
template void random_move(const State<Small>&, int, Rng&, Orders&);
template void random_move(const State<Large>&, int, Rng&, Orders&);
template void random_move(const State<Huge>&, int, Rng&, Orders&);
template void repair(const State<Small>&, int, std::int32_t*, Rng&, const Land<Small>::Set*);
template void repair(const State<Large>&, int, std::int32_t*, Rng&, const Land<Large>::Set*);
template void repair(const State<Huge>&, int, std::int32_t*, Rng&, const Land<Huge>::Set*);
template void adapt(const State<Small>&, int, std::int32_t*, Rng&, Orders&);
template void adapt(const State<Large>&, int, std::int32_t*, Rng&, Orders&);
template void adapt(const State<Huge>&, int, std::int32_t*, Rng&, Orders&);
template std::string illegal(const State<Small>&, int, const Orders&);
template std::string illegal(const State<Large>&, int, const Orders&);
template std::string illegal(const State<Huge>&, int, const Orders&);

}  // namespace sandtable::conquest
