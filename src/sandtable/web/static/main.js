/** The page: its frame, and the routes from addresses to parts. */

import { button, fill, html, svg } from "./dom.js";
import { ServerEngine } from "./engine.js";
import { AnalysisPage } from "./pages/analysis.js";
import { HomePage } from "./pages/home.js";
import { PlayPage } from "./pages/play.js";
import { ReplayPage } from "./pages/replay.js";
import { showKeys } from "./parts/keys.js";
import { applySettings, isDark, isMoving, toggleMotion, toggleTheme } from "./settings.js";

/** Patterns of addresses, and the elements that show them. */
const ROUTES = /** @type {[RegExp, (engine: import("./engine.js").Engine, parts: string[]) => HTMLElement][]} */ ([
  [/^#\/game\/([\w-]+)$/, (engine, [id]) => new PlayPage(engine, id)],
  [/^#\/replay\/([\w-]+)(?:\/(\d+))?$/, (engine, [id, ply]) => new ReplayPage(engine, id, Number(ply ?? 0))],
  [/^#\/analysis\/(game|replay)\/([\w-]+)\/(\d+)$/, (engine, [kind, id, ply]) => new AnalysisPage(engine, /** @type {any} */ (kind), id, Number(ply))],
  [/^/, (engine) => new HomePage(engine, takeDropped())],
]);

/** @type {File | null} */
let dropped = null; // a file that was dropped on the page; the start page opens it

function takeDropped() {
  const file = dropped;
  dropped = null;
  return file;
}

const engine = new ServerEngine();
const main = html("main", { id: "main", tabindex: -1 });
const notice = html("div", { class: "notice", role: "status", "aria-live": "polite" });
const offline = html("div", { class: "offline", role: "alert", hidden: true }, "The server does not answer. Trying again …");

function drawHeader() {
  const theme = button(isDark() ? "Light colours" : "Dark colours", () => { toggleTheme(); drawHeader(); }, { sign: isDark() ? "sun" : "moon", onlySign: true, class: "bare" });
  const motion = button(isMoving() ? "Turn animations off" : "Turn animations on", () => { toggleMotion(); drawHeader(); }, { sign: isMoving() ? "motion" : "still", onlySign: true, class: "bare" });
  const brand = html("a", { class: "brand", href: "#/" }, svg("svg", { viewBox: "0 0 32 32", class: "brand-mark", "aria-hidden": "true" }, svg("circle", { cx: 11, cy: 13, r: 7, class: "fill-red" }), svg("rect", { x: 15.5, y: 13, width: 13, height: 13, rx: 3, class: "fill-blue" })), "Sandtable");
  fill(header, html("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); main.focus(); } }, "Skip to content"), brand, html("span", { class: "grow" }), button("Keys", showKeys, { sign: "keys", onlySign: true, class: "bare keys", key: "?" }), motion, theme);
}

const header = html("header", { class: "page-header" });

function route() {
  for (const [pattern, make] of ROUTES) {
    const found = location.hash.match(pattern);
    if (found) {
      fill(main, make(engine, found.slice(1)));
      break;
    }
  }
  notice.textContent = "";
  scrollTo(0, 0);
}

/** @type {any} */
let clearing;
document.addEventListener("say", (event) => {
  const { text, kind } = /** @type {CustomEvent} */ (event).detail;
  notice.textContent = text;
  notice.className = `notice ${kind}`;
  clearTimeout(clearing);
  clearing = setTimeout(() => (notice.textContent = ""), 6000);
});

applySettings();
drawHeader();
document.body.append(header, offline, main, notice);
engine.onConnection((connected) => (offline.hidden = connected));
addEventListener("hashchange", route);
addEventListener("dragover", (event) => {
  event.preventDefault(); // otherwise the browser would leave the page and open the dropped file
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) document.body.classList.remove("dropping");
});
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  dropped = event.dataTransfer?.files[0] ?? null;
  const home = main.querySelector("st-home");
  if (dropped && home instanceof HomePage) home.open(/** @type {File} */ (takeDropped()));
  else if (dropped) location.hash = "#/";
});
addEventListener("keydown", (event) => {
  if (event.key === "?" && !(event.target instanceof HTMLInputElement)) showKeys();
});
route();
