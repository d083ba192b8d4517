// A scenario as plain numbers: what a file, a generator or a caller hands to the engine. It is checked once,
// by check() below; all other code relies on that.
#pragma once

#include <cstdint>
#include <vector>

#include "tubstap/rules.h"

namespace sandtable::tubstap {

// Coordinates are those of the map files: the playable cells are 1..width and 1..height.
struct UnitSetup {
  int kind = 0;
  int side = 0;
  int x = 0;
  int y = 0;
  double hp = 0;  // 0: dead, and x, y mean nothing
  bool acted = false;
};

struct Setup {
  Rules rules;
  int width = 0;   // of the playable area, without the ring of closed cells in the map file
  int height = 0;
  std::vector<std::uint8_t> terrain;  // row by row, width * height
  std::vector<UnitSetup> units;       // by id
  int turn = 0;                       // player turns played; red moves on even ones
  int quiet = 0;                      // turns in a row that ended without loss of HP
  bool hp_lost = false;               // in the current turn
};

// Throws std::invalid_argument with the reason if the setup cannot be played.
void check(const Setup& setup);

}  // namespace sandtable::tubstap
