// Networks of the core: hostile files of weights, the kernels of every instruction set compared with a plain loop, and
// the independence of a position's answer from the rest of the batch.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "evaluation/tubstap.h"
#include "nets/kernels.h"
#include "nets/safetensors.h"
#include "nets/territory_net.h"
#include "nets/token_net.h"
#include "search/conquest.h"
#include "search/tubstap.h"
#include "tests/check.h"
#include "tests/random_maps.h"

namespace sandtable::tests {
namespace {

using namespace nets;
namespace tub = tubstap;
namespace con = conquest;

using File = std::vector<unsigned char>;
using Shape = std::vector<std::size_t>;

File file_of(std::string header, std::size_t floats, Rng* rng = nullptr) {
  header.resize((header.size() + 7) / 8 * 8, ' ');
  File file(8 + header.size() + 4 * floats);
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<unsigned char>(header.size() >> (8 * i));
  std::memcpy(file.data() + 8, header.data(), header.size());
  for (std::size_t i = 0; rng && i < floats; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(0.4 * rng->uniform() - 0.2));
    for (std::size_t k = 0; k < 4; ++k) file[8 + header.size() + 4 * i + k] = static_cast<unsigned char>(bits >> (8 * k));
  }
  return file;
}

std::string entry(const std::string& name, const std::string& shape, std::size_t begin, std::size_t end, const std::string& type = "F32") {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":[" + std::to_string(begin) + "," +
         std::to_string(end) + "]}";
}

// The reason why a file is refused; empty if it is accepted.
std::string refusal(const File& file) {
  try {
    read_safetensors(file);
    return "";
  } catch (const std::invalid_argument& error) {
    const std::string why = error.what();
    CHECK(std::all_of(why.begin(), why.end(), [](char letter) { return letter >= ' ' && letter <= '~'; }));
    return why;
  }
}

bool refused(const File& file, const std::string& why) {
  const std::string found = refusal(file);
  if (found.find(why) == std::string::npos) std::fprintf(stderr, "'%s' instead of '%s'\n", found.c_str(), why.c_str());
  return found.find(why) != std::string::npos;
}

void test_files_of_weights() {
  Rng rng(3);
  const std::string a = entry("a", "[2,3]", 0, 24), b = entry("b", "[]", 24, 28);
  const File good = file_of("{\"__metadata__\":{\"format\":\"p\\\"t\"}, " + b + " ,\n" + a + "}", 7, &rng);
  const auto tensors = read_safetensors(good);
  CHECK(tensors.size() == 2 && tensors.at("a").shape == (Shape{2, 3}) && tensors.at("b").shape.empty());
  float last;
  std::memcpy(&last, good.data() + good.size() - 4, 4);
  CHECK(tensors.at("a").values.size() == 6 && tensors.at("b").values == std::vector<float>{last});
  CHECK(read_safetensors(file_of("{}", 0)).empty());

  const auto with = [&](const std::string& header, std::size_t floats = 7) { return file_of(header, floats, &rng); };
  CHECK(refused({}, "0 bytes") && refused(File(7), "7 bytes") && refused(File(8, 0xff), "more than 1048576"));
  CHECK(refused(with("{" + a + "," + entry("b", "[]", 20, 24) + "}"), "overlaps"));
  CHECK(refused(with("{" + a + "," + entry("b", "[1]", 28, 32) + "}", 8), "leaves a gap"));
  CHECK(refused(with("{" + a + "," + a + "}", 12), "overlaps") && refused(with("{" + a + "}"), "bytes after"));
  CHECK(refused(with("{" + entry("e", "[0]", 0, 0) + "," + entry("e", "[0]", 0, 0) + "}", 0), "occurs twice"));
  CHECK(refused(with("{" + a + "," + b + "}", 6), "beyond the file"));
  CHECK(refused(with("{" + entry("a", "[5]", 0, 24) + "}", 6), "number of bytes that its shape needs") && refused(with("{" + entry("a", "[7]", 3, 31) + "}", 8), "gap"));
  CHECK(refused(with("{" + entry("a", "[7]", 28, 0) + "}"), "a begin and an end") && refused(with("{" + entry("a", "[7]", 0, 28, "F16") + "}"), "of type F16"));
  CHECK(refused(with("{" + entry("\xc2\x9bz", "[7]", 0, 28, "\xff\x7f") + "}"), "'??z' is of type ??, not F32"));
  CHECK(refused(with("{" + entry("a", "[4611686018427387904,4]", 0, 28) + "}"), "more values"));
  CHECK(refused(with("{" + entry("a", "[99999999999999999999]", 0, 28) + "}"), "too large"));
  CHECK(refused(with("{" + entry("a", "[1,1,1,1,1,1,1,1,7]", 0, 28) + "}"), "axes"));
  CHECK(refused(with("{" + entry("a", "[-7]", 0, 28) + "}"), "whole number") && refused(with("{" + entry("a", "[7.5]", 0, 28) + "}"), "expected ']'"));
  CHECK(refused(with("{\"a\":{\"dtype\":\"F32\",\"shape\":[7]}}"), "needs one"));
  CHECK(refused(with("{\"a\":{\"dtype\":\"F32\",\"shape\":[7],\"shape\":[7],\"data_offsets\":[0,28]}}"), "needs one"));
  CHECK(refused(with("{\"a\":{\"colour\":1}}"), "unknown key") && refused(with("{\"a"), "within a string"));
  CHECK(refused(with("{" + a + "," + b + "}]"), "after its JSON") && refused(with("[1]"), "expected '{'") && refused(with(""), "expected '{'"));
  CHECK(refused(with("{\"" + std::string(300, 'n') + "\":1}"), "too long"));
  File unaligned = with("{" + a + "," + b + "}");
  unaligned.insert(unaligned.begin() + 8 + unaligned[0], ' ');
  ++unaligned[0];
  CHECK(refused(unaligned, "multiple of 8"));

  for (std::size_t size = 0; size < good.size(); ++size) CHECK(!refusal(File(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))).empty());
  for (int i = 0; i < 20000; ++i) {
    File damaged = good;
    for (int k = between(rng, 1, 3); k > 0; --k)
      damaged[rng.below(static_cast<std::uint32_t>(good.size()))] = rng.below(3) ? static_cast<unsigned char>("{}[]\",:0189 \\"[rng.below(13)]) : static_cast<unsigned char>(rng.below(256));
    refusal(damaged);
  }
}

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> all;
  for (const auto* set = instruction_sets(); *set; ++set) all.push_back(*set);
  return all;
}

std::vector<float> numbers(Rng& rng, std::size_t n) {
  std::vector<float> found(n);
  for (float& one : found) one = static_cast<float>(2 * rng.uniform() - 1);
  return found;
}

bool near(float a, double b) { return std::abs(a - b) < 1e-5 * (1 + std::abs(b)); }

// Affine maps of random sizes, compared with a plain loop in double precision, and with every row alone.
void test_affine() {
  Rng rng(4);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<std::size_t>(between(rng, 1, 21)), inputs = static_cast<std::size_t>(between(rng, 0, 70));
    const auto panels = static_cast<std::size_t>(between(rng, 1, 7)), out = panels * kPanel, stride = std::max(inputs, out) + rng.below(5);
    const auto weights = numbers(rng, inputs * out), bias = numbers(rng, out), in = numbers(rng, n * stride), more = numbers(rng, 4 * out);
    std::vector<int> at, none(n, -1);
    for (std::size_t i = 0; i < n; ++i) at.push_back(between(rng, -1, 3));
    const bool biased = rng.below(4), added = rng.below(2);
    const Layer layer{weights.data(), inputs * kPanel, kPanel, biased ? bias.data() : nullptr, inputs, panels};
    const Activation activation = static_cast<Activation>(rng.below(3));
    const Addend second = added ? Addend{{more.data(), out}, at.data()} : Addend{};
    std::vector<float> fused;
    for (const Kernels* kernels : all_kernels()) {
      std::vector<float> found(n * out), alone(out);
      kernels->affine(layer, {in.data(), stride}, n, {{more.data(), out}, none.data()}, second, activation, found.data(), out);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t o = 0; o < out; ++o) {
          double sum = (biased ? bias[o] : 0) + (added && at[i] >= 0 ? more[static_cast<std::size_t>(at[i]) * out + o] : 0);
          for (std::size_t k = 0; k < inputs; ++k) sum += double{in[i * stride + k]} * weights[(o / kPanel * inputs + k) * kPanel + o % kPanel];
          if (activation != Activation::kNone) sum = std::max(sum, 0.0);
          if (activation == Activation::kReluAndAdd) sum += in[i * stride + o];
          CHECK(near(found[i * out + o], sum));
        }
        const Addend own = added ? Addend{{more.data(), out}, at.data() + i} : Addend{};
        kernels->affine(layer, {in.data() + i * stride, stride}, 1, own, {}, activation, alone.data(), out);
        CHECK(std::equal(alone.begin(), alone.end(), found.begin() + static_cast<std::ptrdiff_t>(i * out)));
      }
      if (std::string(kernels->name) == "baseline") continue;
      CHECK(fused.empty() || fused == found);  // whatever the width of the vectors
      fused = found;
    }
  }
}

void test_other_kernels() {
  Rng rng(5);
  for (int round = 0; round < 100; ++round) {
    const auto n = static_cast<std::size_t>(between(rng, 1, 9)), panels = static_cast<std::size_t>(between(rng, 1, 4)), width = panels * kPanel;
    const auto in = numbers(rng, n * width), weights = numbers(rng, width);
    std::vector<int> from, ends, some;
    for (std::size_t i = 0; i < n * panels; ++i) {
      for (int k = between(rng, 0, 4); k > 0; --k) from.push_back(between(rng, 0, static_cast<int>(n) - 1));
      ends.push_back(static_cast<int>(from.size()));
    }
    for (int k = between(rng, 0, 6); k > 0; --k) some.push_back(between(rng, 0, static_cast<int>(n) - 1));
    const auto shares = numbers(rng, from.size());
    for (const Kernels* kernels : all_kernels()) {
      std::vector<float> dots(n), heard(n * width), sum(width), most(width);
      kernels->dot(weights.data(), 0.5f, panels, {in.data(), width}, n, dots.data());
      kernels->aggregate({shares.data(), from.data(), ends.data(), panels}, {in.data(), width}, n, heard.data(), width);
      kernels->pool({in.data(), width}, some.data(), some.size(), panels, sum.data(), most.data());
      for (std::size_t i = 0; i < n; ++i) {
        double dot = 0.5;
        for (std::size_t c = 0; c < width; ++c) dot += double{in[i * width + c]} * weights[c];
        CHECK(near(dots[i], dot));
      }
      for (std::size_t group = 0, message = 0; group < n * panels; ++group) {
        const std::size_t first = message, end = static_cast<std::size_t>(ends[group]);
        for (std::size_t c = 0; c < kPanel; ++c) {
          double total = 0;
          for (message = first; message < end; ++message)
            total += double{shares[message]} * in[static_cast<std::size_t>(from[message]) * width + group % panels * kPanel + c];
          CHECK(near(heard[group / panels * width + group % panels * kPanel + c], total));
        }
      }
      for (std::size_t c = 0; c < width; ++c) {
        double total = 0, greatest = -INFINITY;
        for (const int row : some) {
          total += in[static_cast<std::size_t>(row) * width + c];
          greatest = std::max<double>(greatest, in[static_cast<std::size_t>(row) * width + c]);
        }
        CHECK(near(sum[c], total) && most[c] == static_cast<float>(greatest));
      }
    }
  }
}

// A file with random weights of these shapes.
File weights_of(const std::map<std::string, Shape>& shapes, Rng& rng) {
  std::string header = "{";
  std::size_t at = 0;
  for (const auto& [name, shape] : shapes) {
    std::size_t size = 4;
    std::string text = "[";
    for (const std::size_t axis : shape) {
      size *= axis;
      text += (text == "[" ? "" : ",") + std::to_string(axis);
    }
    header += (at ? "," : "") + entry(name, text + "]", at, at + size);
    at += size;
  }
  return file_of(header + "}", at / 4, &rng);
}

void affine_shapes(std::map<std::string, Shape>& shapes, const std::string& name, std::size_t outputs, std::size_t inputs, bool bias = true) {
  shapes[name + ".weight"] = {outputs, inputs};
  if (bias) shapes[name + ".bias"] = {outputs};
}

std::map<std::string, Shape> token_shapes(std::size_t hidden, std::size_t rounds) {
  std::map<std::string, Shape> shapes;
  affine_shapes(shapes, "enter", hidden, 16);
  affine_shapes(shapes, "about", hidden, 12);
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::string round = "rounds." + std::to_string(i) + ".";
    affine_shapes(shapes, round + "say", 128, hidden);
    affine_shapes(shapes, round + "own", hidden, hidden);
    affine_shapes(shapes, round + "hear", hidden, 128, false);
  }
  affine_shapes(shapes, "balance", hidden, 4 * hidden + 12);
  affine_shapes(shapes, "result", 3, hidden);
  affine_shapes(shapes, "fate", 2, hidden);
  affine_shapes(shapes, "actor", hidden, hidden);
  affine_shapes(shapes, "target", hidden, hidden, false);
  affine_shapes(shapes, "effect", hidden, 20, false);
  affine_shapes(shapes, "position", hidden, hidden, false);
  affine_shapes(shapes, "weigh", hidden / 2, hidden);
  affine_shapes(shapes, "choose", 1, hidden / 2);
  return shapes;
}

std::map<std::string, Shape> territory_shapes(std::size_t hidden, std::size_t rounds) {
  std::map<std::string, Shape> shapes;
  affine_shapes(shapes, "enter", hidden, 23);
  affine_shapes(shapes, "about", hidden, 9);
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::string round = "rounds." + std::to_string(i) + ".";
    affine_shapes(shapes, round + "say", 32, hidden);
    affine_shapes(shapes, round + "own", hidden, hidden);
    affine_shapes(shapes, round + "hear", hidden, 32, false);
  }
  affine_shapes(shapes, "balance", 2 * hidden, 3 * hidden + 9);
  affine_shapes(shapes, "result", 3, 2 * hidden);
  affine_shapes(shapes, "fate", 3, hidden);
  affine_shapes(shapes, "place", hidden, hidden);
  affine_shapes(shapes, "deploy", 1, hidden);
  affine_shapes(shapes, "source", 16, hidden);
  affine_shapes(shapes, "target", 16, hidden);
  affine_shapes(shapes, "stay", 1, hidden);
  return shapes;
}

template <class Net>
void check_refusals(std::map<std::string, Shape> shapes, std::size_t hidden, std::size_t rounds) {
  Rng rng(6);
  const auto why = [&](const File& file, std::size_t h, std::size_t r) -> std::string {
    try {
      Net(file, h, r, *instruction_sets()[0]);
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  File good = weights_of(shapes, rng);
  CHECK(why(good, hidden, rounds).empty());
  CHECK(why(good, hidden + 32, rounds).find("not the weights of") != std::string::npos && why(good, hidden, rounds + 1) != "");
  CHECK(why(good, hidden, rounds - 1) != "" && why(good, 7, rounds) != "" && why(good, 0, rounds) != "" && why(good, 1 << 20, rounds) != "");
  std::memset(good.data() + good.size() - 4, 0xff, 4);
  CHECK(why(good, hidden, rounds) == "some weights are not finite");
  shapes["more"] = {1};
  CHECK(why(weights_of(shapes, rng), hidden, rounds) != "");
}

tub::AnyState random_position(Rng& rng, int max_side, int max_units) {
  for (;;) {
    auto any = tub::make_state(tubstap_maps::random_setup(rng, max_side, max_units));
    if (any.visit([](const auto& state) { return !state.over(); })) return any;
  }
}

// States evaluated one by one, all together and in another order have the same values and priors, bit for bit.
void test_token_net() {
  check_refusals<TokenNet>(token_shapes(32, 2), 32, 2);
  Rng rng(7);
  const File file = weights_of(token_shapes(32, 2), rng);
  std::vector<tub::AnyState> states;
  for (int i = 0; i < 40; ++i) states.push_back(random_position(rng, i % 8 ? 9 : 20, i % 8 ? 12 : 60));
  for (const Kernels* kernels : all_kernels()) {
    const auto net = std::make_shared<const TokenNet>(file, 32, 2, *kernels);
    evaluation::TubstapPolicies evaluator(tub::PolicyEncoder("tokens"), forward_of(net), 1 << 10, 0);
    const auto together = evaluation::evaluate(evaluator, states);
    std::size_t prior = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const auto alone = evaluation::evaluate(evaluator, std::span(&states[i], 1));
      CHECK(alone.values[0] == together.values[i] && std::abs(alone.values[0]) <= 1);
      for (const float one : alone.priors) CHECK(one == together.priors[prior++]);
    }
    CHECK(prior == together.priors.size());
    std::vector<tub::AnyState> backwards(states.rbegin(), states.rend());
    auto values = evaluation::evaluate(evaluator, backwards).values;
    std::reverse(values.begin(), values.end());
    CHECK(values == together.values);
  }
  const auto net = std::make_shared<const TokenNet>(file, 32, 2, *instruction_sets()[0]);
  evaluation::TubstapPolicies other(tub::PolicyEncoder("unit-question"), forward_of(net), 8, 0);
  tub::Setup board = tubstap_maps::random_setup(rng, 2, 2);
  board.width = board.height = 6;
  board.terrain.assign(36, 1);
  board.units = {{0, 0, 1, 1, 9, false}, {0, 1, 5, 5, 9, false}};
  const tub::AnyState six = tub::make_state(board);
  bool threw = false;
  try {
    evaluation::evaluate(other, std::span(&six, 1));
  } catch (const std::invalid_argument&) {
    threw = true;
  }
  CHECK(threw);
}

// Games of self-play by a network of the core are the same with any number of lanes, and with or without a cache.
void test_native_self_play() {
  Rng rng(8);
  const auto net = std::make_shared<const TokenNet>(weights_of(token_shapes(32, 2), rng), 32, 2, *instruction_sets()[0]);
  std::vector<tub::AnyState> starts;
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t i = 0; i < 7; ++i) {
    starts.push_back(random_position(rng, 7, 8));
    seeds.push_back(i);
  }
  search::SelfPlaySettings settings{.root = search::RootRule::kGumbel, .simulations = 6};
  settings.gumbel.considered = 4;
  const auto play = [&](std::uint32_t lanes, std::size_t cache) {
    settings.lanes = lanes;
    evaluation::TubstapPolicies evaluator(tub::PolicyEncoder("tokens"), forward_of(net), 1 << 10, cache);
    return search::self_play(starts, seeds, settings, evaluator);
  };
  const auto expected = play(1, 0);
  for (const std::uint32_t lanes : {2, 3, 16}) {
    const auto found = play(lanes, lanes == 3 ? 1 << 10 : 0);
    for (std::size_t i = 0; i < starts.size(); ++i)
      CHECK(std::equal(found[i].begin(), found[i].end(), expected[i].begin(), expected[i].end(), [](const auto& a, const auto& b) {
        return a.move == b.move && a.full == b.full && a.value == b.value && a.policy == b.policy;
      }));
  }
}

void test_territory_net() {
  check_refusals<TerritoryNet>(territory_shapes(48, 2), 48, 2);
  Rng rng(9);
  const File file = weights_of(territory_shapes(48, 2), rng);
  for (const auto& [least, most, states] : {std::tuple(4, 5, 12), {4, 20, 12}, {4, 120, 12}, {257, 257, 4}, {1024, 1024, 2}}) {
    auto setup = conquest_maps::random_setup(rng, most, least);
    const con::AnyState start = con::make_state(setup);
    std::vector<evaluation::AnyQuestion> questions;
    for (int i = 0; i < states; ++i) {
      con::AnyState state = start;
      state.visit([&](auto& one) {
        for (int t = 0; t < one.land().territories(); ++t) one.set(t, between(rng, -1, 1), between(rng, 0, 9));
      });
      questions.push_back({state, i % 2});
    }
    for (const Kernels* kernels : all_kernels()) {
      const auto net = std::make_shared<const TerritoryNet>(file, 48, 2, *kernels);
      evaluation::TurnPolicies evaluator({}, forward_of(net), 64, 0);
      const auto together = evaluation::evaluate(evaluator, questions);
      for (std::size_t i = 0; i < questions.size(); ++i)
        CHECK(evaluation::evaluate(evaluator, std::span(&questions[i], 1))[0] == together[i] && std::abs(together[i]) <= 1);
      const auto both = evaluation::policies(evaluator, questions[0].state);
      const auto t = static_cast<std::size_t>(setup.territories);
      CHECK(both.deploys.size() == 2 * t && both.marches.size() == 2 * t * t);
      std::size_t ways = 0;
      for (const float one : both.marches) ways += one != 0;
      CHECK(ways == 2 * (t + 2 * setup.edges.size()));
    }
  }
}

// Turns of Conquest solved with a network of the core are the same with any size of batches, and with or without a cache.
void test_native_turns() {
  Rng rng(10);
  const auto net = std::make_shared<const TerritoryNet>(weights_of(territory_shapes(48, 2), rng), 48, 2, *instruction_sets()[0]);
  const search::EquilibriumSettings settings{.rounds = 2, .candidates = 5, .fresh = 6, .joining = 2, .most = 8, .opponents = 3};
  for (const auto& [least, most] : {std::pair(4, 6), {4, 20}, {4, 90}, {257, 257}, {1024, 1024}}) {
    con::AnyState state = con::make_state(conquest_maps::random_setup(rng, most, least));
    state.visit([&](auto& one) {
      for (int t = 0; t < one.land().territories(); ++t) one.set(t, t % 2, between(rng, 1, 9));
      CHECK(!one.over());
    });
    const auto solve = [&](std::size_t batch, std::size_t cache) {
      evaluation::TurnPolicies evaluator({}, forward_of(net), batch, cache);
      return search::equilibrium({state, 1, {0, 3, {}}}, settings, evaluator);
    };
    const auto expected = solve(64, 0);
    CHECK(expected.rounds == 2 && std::abs(expected.value) <= 1);
    for (const auto& [batch, cache] : {std::pair<std::size_t, std::size_t>{1, 0}, {7, 0}, {64, 1 << 10}}) {
      const auto found = solve(batch, cache);
      CHECK(found.value == expected.value && found.exploitability == expected.exploitability);
      for (std::size_t player = 0; player < 2; ++player) {
        const auto &a = found.players[player], &b = expected.players[player];
        CHECK(a.best == b.best && a.shares == b.shares && a.values == b.values);
      }
    }
  }
}

}  // namespace

void test_nets() {
  test_files_of_weights();
  test_affine();
  test_other_kernels();
  test_token_net();
  test_native_self_play();
  test_territory_net();
  test_native_turns();
}

}  // namespace sandtable::tests
