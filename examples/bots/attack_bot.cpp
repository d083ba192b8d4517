// A bot in C++17, standard library only: attack where you can, otherwise walk towards the enemy.
//
//     g++ -std=c++17 -O2 examples/bots/attack_bot.cpp -o attack_bot
//     sandtable match "bot(command='./attack_bot')" random --map ford --games 10
//
// It knows the rules only through the protocol (docs/protocol.md): it asks the referee for legal moves and picks one.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

// A JSON value, for the part of JSON that the protocol needs. `raw` is its text, to send it back.
struct Json {
  std::string raw, text;
  double number = 0;
  std::vector<Json> items;
  std::map<std::string, Json> fields;
  int whole() const { return static_cast<int>(number); }
};

Json parse(const std::string& s, std::size_t& at) {
  const auto skip = [&] { at = std::min(s.find_first_not_of(" ,:\t", at), s.size()); };
  skip();
  Json value;
  const std::size_t begin = at;
  if (s[at] == '{') {
    for (++at, skip(); s[at] != '}'; skip()) {
      const std::string key = parse(s, at).text;
      value.fields[key] = parse(s, at);
    }
  } else if (s[at] == '[') {
    for (++at, skip(); s[at] != ']'; skip()) value.items.push_back(parse(s, at));
  } else if (s[at] == '"') {
    for (++at; s[at] != '"'; ++at) value.text += s[at] == '\\' ? s[++at] : s[at];
  } else {
    at = std::min(s.find_first_of(" ,:]}", at), s.size()) - 1;
    value.number = std::strtod(s.c_str() + begin, nullptr);
  }
  ++at;
  value.raw = s.substr(begin, at - begin);
  return value;
}

Json receive() {
  std::string line;
  if (!std::getline(std::cin, line)) std::exit(0);  // the referee has gone
  std::size_t at = 0;
  return parse(line, at);
}

// An attack is best; otherwise, the nearer to an enemy, the better. Ending the turn early is worst.
double score_tubstap(const Json& move, Json& position, int side) {
  if (move.raw == "null") return -1000;
  if (move.items[3].whole() != -1) return 1000;
  int nearest = 1000;
  for (Json& unit : position.fields["units"].items)
    if (unit.fields["side"].whole() != side)
      nearest = std::min(nearest, std::abs(move.items[1].whole() - unit.fields["x"].whole()) +
                                      std::abs(move.items[2].whole() - unit.fields["y"].whole()));
  return -nearest;
}

// The more attacks (marches to territories that are not ours), the better.
double score_conquest(const Json& orders, Json& position, int side) {
  return std::count_if(orders.items.begin(), orders.items.end(), [&](const Json& order) {
    return order.items.size() == 3 && position.fields["owner"].items[order.items[1].whole()].whole() != side;
  });
}

int main() {
  std::mt19937 random;
  std::string game, type;
  for (int side = 0; type != "end";) {
    Json message = receive();
    type = message.fields["type"].text;
    if (type == "hello") {
      std::cout << R"({"type":"hello","version":1,"name":"C++ bot","games":["tubstap","conquest"]})" << std::endl;
    } else if (type == "start") {
      game = message.fields["game"].text;
      side = message.fields["side"].whole();
      random.seed(static_cast<unsigned>(message.fields["seed"].number));
      std::cout << R"({"type":"ready"})" << std::endl;
    } else if (type == "move") {
      std::cout << R"({"type":"moves","count":20})" << std::endl;
      Json answer = receive();
      std::vector<Json>& moves = answer.fields["moves"].items;
      std::shuffle(moves.begin(), moves.end(), random);  // breaks ties at random
      const auto score = game == "tubstap" ? score_tubstap : score_conquest;
      Json& position = message.fields["position"];
      const auto worse = [&](const Json& a, const Json& b) { return score(a, position, side) < score(b, position, side); };
      std::cout << R"({"type":"move","id":)" << message.fields["id"].raw << R"(,"move":)"
                << std::max_element(moves.begin(), moves.end(), worse)->raw << "}" << std::endl;
    }
  }
}
