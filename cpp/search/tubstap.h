// The searches on TUBSTAP, on boards of any size: compiled once, in tubstap.cpp. All throw std::invalid_argument if the
// network does not support the board; the game must not be over.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "evaluation/tubstap.h"
#include "search/minimax/minimax.h"
#include "search/minimax/pruned.h"
#include "search/pmc/pmc.h"
#include "search/puct/self_play.h"
#include "search/uct/uct.h"
#include "tubstap/any_state.h"
#include "tubstap/game.h"

namespace sandtable::search {

using TubstapResult = Result<tubstap::Operation>;
using TubstapUct = UctSettings<tubstap::PlayoutKind>;
using TubstapPmc = PmcSettings<tubstap::PlayoutKind>;

TubstapResult uct(const tubstap::AnyState& root, TubstapUct settings, const Run& run);
TubstapResult pmc(const tubstap::AnyState& root, const TubstapPmc& settings, const Run& run);
// Without a network, leaves are evaluated by HP.
TubstapResult minimax(const tubstap::AnyState& root, const MinimaxSettings& settings, const Run& run,
                      evaluation::TubstapValues* network);
TubstapResult pruned_minimax(const tubstap::AnyState& root, const PrunedMinimaxSettings& settings, const Run& run,
                             evaluation::TubstapPolicies& network);

// The tree of a search that a network guides, kept from one decision to the next. One thread at a time may search it.
class TubstapTree {
 public:
  TubstapTree();
  ~TubstapTree();

  TubstapResult search(const tubstap::AnyState& root, const PuctSettings& settings, const Run& run,
                       evaluation::TubstapPolicies& network);

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

// As self_play() in puct/self_play.h.
std::vector<std::vector<Decision>> self_play(std::span<const tubstap::AnyState> starts, std::span<const std::uint64_t> seeds,
                                             const SelfPlaySettings& settings, evaluation::TubstapPolicies& network,
                                             const std::function<bool()>& interrupted = {});

}  // namespace sandtable::search
