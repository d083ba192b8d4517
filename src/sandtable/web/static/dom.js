/** Functions that make an HTML or SVG element in one call. Text is always set as text, never parsed. */

/** @typedef {string | number | Node | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/**
 * An HTML element. A function is a listener (its key is "on" and the event), `true` is an empty attribute; null and false
 * leave the attribute out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function html(tag, attributes, ...children) {
  const element = document.createElement(tag);
  decorate(element, attributes ?? {}, children);
  return element;
}

/**
 * An SVG element.
 * @param {string} tag
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  decorate(element, attributes ?? {}, children);
  return /** @type {SVGElement} */ (element);
}

/** @param {Element} element @param {Attributes} attributes @param {Child[]} children */
function decorate(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * A button with an accessible name. The sign is an icon, beside the name or (`onlySign`) in its place.
 * @param {string} name
 * @param {(event: Event) => void} onclick
 * @param {{sign?: string, class?: string, key?: string, onlySign?: boolean, disabled?: boolean, pressed?: boolean}} [options]
 */
export function button(name, onclick, options = {}) {
  const { sign, key, onlySign } = options;
  return html(
    "button",
    {
      type: "button",
      class: `button ${options.class ?? ""}`.trim(),
      onclick,
      disabled: options.disabled,
      "aria-label": onlySign ? name : null,
      title: onlySign || key ? name + (key ? ` (${key})` : "") : null,
      "aria-keyshortcuts": key,
      "aria-pressed": options.pressed === undefined ? null : String(options.pressed),
    },
    sign && icon(sign),
    onlySign ? null : html("span", null, name),
  );
}

/** Stroked paths in a box of 24 x 24. */
const ICONS = /** @type {Record<string, string>} */ ({
  play: "M8 5.500v13l11-6.500z",
  pause: "M8 5v14M16 5v14",
  first: "M18 6l-8 6 8 6zM6 5v14",
  back: "M16 6l-8 6 8 6z",
  forward: "M8 6l8 6-8 6z",
  last: "M6 6l8 6-8 6zM18 5v14",
  undo: "M9 7 4 12l5 5M4 12h10a5 5 0 0 1 0 10",
  hint: "M9 18h6M10 21h4M12 3a6.5 6.5 0 0 1 4 11.600c-.7.6-1 1.2-1 2.400H9c0-1.2-.3-1.8-1-2.400A6.5 6.5 0 0 1 12 3z",
  flag: "M6 21V4M6 5h11l-2 4 2 4H6",
  end: "M5 12.5 10 18 19 6.5",
  search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM16.5 16.5 21 21",
  chart: "M4 4v16h16M8 15l4-5 3 3 5-7",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  cross: "M6 6l12 12M18 6 6 18",
  sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.500M17.5 17.5 19 19M5 19l1.5-1.500M17.5 6.5 19 5",
  moon: "M20 14.500A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.500z",
  motion: "M3 8h9M3 12h6M3 16h9M13 6l6 6-6 6",
  still: "M4 4l16 16M3 8h4M3 12h6M3 16h9M14.5 9l3 3-1.5 1.5",
  keys: "M3 7h18v11H3zM7 11h.01M11 11h.01M15 11h.01M8 14.500h8",
  file: "M7 3h7l5 5v13H7zM14 3v5h5",
  dice: "M5 5h14v14H5zM9 9h.01M15 9h.01M12 12h.01M9 15h.01M15 15h.01",
  next: "M5 12h12M12 6l6 6-6 6",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
});

/** @param {string} name */
export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** Replaces an element's children. If the focused control was replaced by one of the same name, that one gets the focus.
 * @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  const active = document.activeElement;
  const focused = active && active !== element && element.contains(active) ? active : null;
  element.replaceChildren();
  decorate(element, {}, children);
  if (!focused || element.contains(focused)) return;
  const name = (/** @type {Element} */ control) => control.getAttribute("aria-label") ?? control.textContent;
  const successor = [...element.querySelectorAll(focused.tagName)].find((control) => name(control) === name(focused));
  if (successor instanceof HTMLElement) successor.focus({ preventScroll: true });
}

/** A name as words: maps have names like files. @param {string} name */
export const inWords = (name) => name.replace(/_/g, " ");

/** A number with its noun. @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Sets a custom property of CSS. (The content security policy forbids style attributes, but not this.) @param {Element} element @param {string} name @param {string | number} value */
export function setProperty(element, name, value) {
  /** @type {HTMLElement} */ (element).style.setProperty(name, String(value));
}
