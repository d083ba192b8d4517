/** A dialog that asks before an action that cannot be undone. */

import { button, html } from "../dom.js";

/** @param {string} name @param {string} question @param {string} no @param {string} yes @param {() => void} onyes */
export function confirm(name, question, no, yes, onyes) {
  const dialog = html("dialog", { class: "dialog", "aria-label": name }, html("p", null, question), html("div", { class: "row" }, button(no, () => dialog.close()), button(yes, () => { dialog.close(); onyes(); }, { class: "danger" })));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
