// A bot in Java 17, standard library only: attack where you can, otherwise walk towards the enemy.
//
//     javac -d . examples/bots/AttackBot.java
//     sandtable match "bot(command='java AttackBot')" random --map ford --games 10
//
// It knows the rules only through the protocol (docs/protocol.md): it asks the referee for legal moves and picks one.

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

public class AttackBot {
  static final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
  static Random random;
  static String game;
  static long side;

  /** Reads the part of JSON that the protocol needs: objects, lists, strings, numbers (integers as Long), words. */
  static class Json {
    final String s;
    int at = 0;
    Json(String line) { s = line; }
    char skip() {
      while (" ,:\t".indexOf(s.charAt(at)) >= 0) at++;
      return s.charAt(at);
    }

    Object read() {
      switch (skip()) {
        case '{':
          Map<String, Object> fields = new HashMap<>();
          for (at++; skip() != '}';) fields.put((String) read(), read());
          at++;
          return fields;
        case '[':
          List<Object> items = new ArrayList<>();
          for (at++; skip() != ']';) items.add(read());
          at++;
          return items;
        case '"':
          StringBuilder text = new StringBuilder();
          for (at++; s.charAt(at) != '"'; at++) text.append(s.charAt(at) == '\\' ? s.charAt(++at) : s.charAt(at));
          at++;
          return text.toString();
        default:
          int begin = at;
          for (; at < s.length() && ",:]} ".indexOf(s.charAt(at)) < 0;) at++;
          String word = s.substring(begin, at);
          if (Character.isLetter(word.charAt(0))) return word.equals("null") ? null : (Object) word.equals("true");
          return word.matches("-?\\d+") ? (Object) Long.parseLong(word) : (Object) Double.parseDouble(word);
      }
    }
  }

  static Map<?, ?> receive() throws IOException {
    String line = in.readLine();
    if (line == null) System.exit(0); // the referee has gone
    return (Map<?, ?>) new Json(line).read();
  }

  static long at(Object list, int place) { return (Long) ((List<?>) list).get(place); }

  static long score(Object move, Map<?, ?> position) {
    if (game.equals("conquest")) // the more attacks (marches to territories that are not ours), the better
      return ((List<?>) move).stream().filter(
          one -> ((List<?>) one).size() == 3 && at(position.get("owner"), (int) at(one, 1)) != side).count();
    if (move == null) return -1000; // ending the turn early is worst
    if (at(move, 3) != -1) return 1000; // an attack is best
    return ((List<?>) position.get("units")).stream().map(unit -> (Map<?, ?>) unit)
        .filter(unit -> (Long) unit.get("side") != side)
        .mapToLong(unit -> -Math.abs(at(move, 1) - (Long) unit.get("x")) - Math.abs(at(move, 2) - (Long) unit.get("y")))
        .max().orElse(0);
  }

  public static void main(String[] arguments) throws IOException {
    while (true) {
      Map<?, ?> message = receive();
      switch ((String) message.get("type")) {
        case "hello" -> System.out.println(
            "{\"type\":\"hello\",\"version\":1,\"name\":\"Java bot\",\"games\":[\"tubstap\",\"conquest\"]}");
        case "start" -> {
          game = (String) message.get("game");
          side = (Long) message.get("side");
          random = new Random((Long) message.get("seed"));
          System.out.println("{\"type\":\"ready\"}");
        }
        case "move" -> {
          System.out.println("{\"type\":\"moves\",\"count\":20}");
          List<?> moves = (List<?>) receive().get("moves");
          Collections.shuffle(moves, random); // breaks ties at random
          Map<?, ?> position = (Map<?, ?>) message.get("position");
          Object best = Collections.max(moves, Comparator.comparingLong(move -> score(move, position)));
          System.out.println("{\"type\":\"move\",\"id\":" + message.get("id") + ",\"move\":" + best + "}");
        }
        case "end" -> System.exit(0);
      }
    }
  }
}
