/** The visitor's settings, theme and motion, stored in the browser. */

const KEY = "sandtable";

/** @typedef {{theme: "auto" | "light" | "dark", motion: boolean | null}} Settings */

/** @returns {Settings} */
function load() {
  /** @type {Settings} */
  const settings = { theme: "auto", motion: null };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (["light", "dark"].includes(kept.theme)) settings.theme = kept.theme;
    if (typeof kept.motion === "boolean") settings.motion = kept.motion;
  } catch {
    // The storage is unavailable or holds something else: the defaults apply.
  }
  return settings;
}

const settings = load();

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // Without storage the choice holds until the page is left.
  }
}

/** @param {string} query */
const matches = (query) => globalThis.matchMedia?.(query).matches ?? false;

export function isDark() {
  return settings.theme === "auto" ? matches("(prefers-color-scheme: dark)") : settings.theme === "dark";
}

/** Whether moves are animated: by the visitor's choice, or else by the system's setting. */
export function isMoving() {
  return settings.motion ?? !matches("(prefers-reduced-motion: reduce)");
}

/** Whether the main pointing device is a finger. */
export function hasTouch() {
  return matches("(pointer: coarse)");
}

export function applySettings() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  document.documentElement.dataset.motion = isMoving() ? "on" : "off";
}

export function toggleTheme() {
  settings.theme = isDark() ? "light" : "dark";
  keep();
  applySettings();
}

export function toggleMotion() {
  settings.motion = !isMoving();
  keep();
  applySettings();
}

/**
 * Calls step(share) repeatedly with shares from 0 to 1, with an eased course over time; once with 1 if animations are off.
 * @param {number} milliseconds
 * @param {(share: number) => void} step
 * @returns {Promise<void>}
 */
export function animate(milliseconds, step) {
  if (!isMoving() || document.hidden) {
    step(1);
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    const begin = performance.now();
    /** @param {number} now */
    const frame = (now) => {
      const share = Math.min(1, Math.max(0, (now - begin) / milliseconds));
      step(share * share * (3 - 2 * share));
      if (share < 1 && !document.hidden) requestAnimationFrame(frame);
      else resolve(share < 1 ? step(1) : undefined);
    };
    requestAnimationFrame(frame);
  });
}
