/** A dialog that explains how a game is played. */

import { button, html } from "../dom.js";

/** @param {import("../engine.js").GameEntry} game */
export function showRules(game) {
  const dialog = html("dialog", { class: "dialog rules", "aria-label": `How ${game.title} is played` }, html("h2", null, game.title), html("p", null, game.about), html("ul", null, ...game.how.map((rule) => html("li", null, rule))), button("Close", () => dialog.close(), { class: "primary" }));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
