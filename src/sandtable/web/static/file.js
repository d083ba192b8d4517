/** A finished game in a file of its own: the replay without a server. `sandtable show --html` writes it. */

import { html } from "./dom.js";
import { ReplayPage } from "./pages/replay.js";
import { applySettings } from "./settings.js";

/** What the file holds besides the program. @param {string} id */
function embedded(id) {
  const element = document.getElementById(id);
  return (element instanceof HTMLTemplateElement ? element.content.textContent : element?.textContent) ?? "";
}

const refuse = () => Promise.reject(new Error("A file has no engine: open the record with `sandtable play`."));

/** What a file can answer. @type {any} */
const engine = new Proxy(
  {
    canAnalyse: false,
    replay: async () => JSON.parse(embedded("replay")),
    games: async () => JSON.parse(embedded("games")),
    symbols: async () => embedded("symbols"),
  },
  { get: (known, name) => known[/** @type {keyof typeof known} */ (name)] ?? refuse },
);

applySettings();
document.body.append(html("main", { id: "main" }, new ReplayPage(engine, "file", 0)));
