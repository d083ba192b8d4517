/** A finished game in a file of its own: the replay page without a server. `sandtable show --html` writes the file. */

import { html } from "./dom.js";
import { ReplayPage } from "./pages/replay.js";
import { applySettings } from "./settings.js";

/** The text of an embedded data element. @param {string} id */
function embedded(id) {
  const element = document.getElementById(id);
  return (element instanceof HTMLTemplateElement ? element.content.textContent : element?.textContent) ?? "";
}

const refuse = () => Promise.reject(new Error("A file has no engine: open the record with `sandtable play`."));

/** An engine that answers from the file's own data; all other requests are refused. @type {any} */
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
