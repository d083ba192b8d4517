/** A dialog that lists the keys of the page. */

import { button, html } from "../dom.js";

const KEYS = [
  ["On the board", [
    ["Arrows, Enter", "move over the board, choose"],
    ["Escape", "cancel"],
    ["n", "next unit that can act"],
    ["e", "end the turn, send the orders"],
    ["d, m", "deploy mode, march mode"],
    ["u, h, t", "undo, hint, live analysis"],
  ]],
  ["In a replay or an analysis", [
    ["← →", "move by move"],
    ["Home, End", "first and last position"],
    ["Space", "play and pause a replay"],
  ]],
];

export function showKeys() {
  if (document.querySelector("dialog[open]")) return;
  const lists = KEYS.flatMap(([title, keys]) => [
    html("h2", null, String(title)),
    html("dl", { class: "keys" }, .../** @type {string[][]} */ (keys).flatMap(([key, what]) => [html("dt", null, ...key.split(/(, )/).map((part) => (part === ", " ? part : html("kbd", null, part)))), html("dd", null, what)])),
  ]);
  const dialog = html("dialog", { class: "dialog", "aria-label": "Keys" }, ...lists, button("Close", () => dialog.close(), { class: "primary" }));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
