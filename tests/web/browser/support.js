/** A separate server for each test file, and pages of a headless Chromium. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const ROOT = new URL("../../..", import.meta.url).pathname;
export const SANDTABLE = process.env.SANDTABLE ?? join(ROOT, ".venv/bin/sandtable");
const FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const PATIENCE = 120_000; // the machine may be busy: no test depends on a clock
const IMAGES = process.env.SANDTABLE_IMAGES ?? null; // where pictures for the docs are written

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

export class Table {
  /** @param {string[]} [options]  of the command, before its name */
  static async open(options = []) {
    const table = new Table();
    table.options = options;
    table.folder = mkdtempSync(join(tmpdir(), "sandtable-web-"));
    table.port = await freePort();
    await table.startServer();
    table.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS.split(" ") });
    return table;
  }

  get address() {
    return `http://127.0.0.1:${this.port}/`;
  }

  async startServer() {
    const args = [...this.options, "play", "--no-open", "--port", String(this.port), "--store", join(this.folder, "games.sqlite")];
    this.server = spawn(SANDTABLE, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, PYTHONPATH: join(ROOT, "tests") } });
    await once(this.server.stdout, "data");
    for (let tries = 0; ; tries++) {
      try {
        await fetch(this.address);
        return;
      } catch (error) {
        if (tries > 600) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  async killServer() {
    const gone = once(this.server, "exit");
    this.server.kill("SIGKILL");
    await gone;
  }

  /** A page whose errors fail the test. */
  async page(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce", acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.faults = [];
    page.on("pageerror", (error) => page.faults.push(error.message));
    page.on("console", (message) => message.type() === "error" && !/ERR_CONNECTION|WebSocket connection|status of 422/.test(message.text()) && page.faults.push(message.text()));
    await page.goto(this.address);
    await page.waitForSelector(".card");
    return page;
  }

  async close() {
    await this.browser?.close();
    if (this.server?.exitCode === null) await this.killServer();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Starts a game by clicks. */
export async function startGame(page, { game = "TUBSTAP", map, level = "recruit", side = "0" }) {
  await page.goto(new URL("#/", page.url()).href);
  await page.getByRole("button", { name: game, exact: true }).click();
  if (map) await page.click(`[data-map="${map}"]`);
  await page.locator(`input[name=side][value="${side}"]`).check({ force: true });
  if (side === "watch") for (const seat of [0, 1]) await page.locator(`select[name=level-${seat}]`).selectOption(level);
  else if (side !== "both") await page.locator(`input[name=level][value="${level}"]`).check({ force: true });
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForSelector(".board");
}

/** Waits until it is a person's turn or the game is over; returns whether it is over. */
export async function myTurn(page) {
  await page.waitForFunction(() => {
    const table = document.querySelector("st-play");
    return /won|Draw/.test(table?.querySelector(".game-status strong")?.textContent ?? "") || table?.dataset.turn === "mine";
  });
  return !(await page.locator("st-play").getAttribute("data-turn"));
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The serious faults that axe-core finds, and pages without a heading. The page's policy forbids foreign scripts, so the debugger injects axe. */
export async function accessibilityFaults(page) {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return result.violations
    .filter((violation) => ["serious", "critical"].includes(violation.impact) || violation.id === "page-has-heading-one")
    .map((violation) => `${violation.id}: ${violation.nodes.slice(0, 3).map((node) => `${node.target} (${node.any[0]?.message ?? ""})`).join("; ")}`);
}

/** Keeps a picture for the docs, where they are asked for. */
export async function keepPicture(page, name) {
  if (!IMAGES) return;
  const path = join(IMAGES, `page-${name}.jpg`);
  await page.screenshot({ path, type: "jpeg", quality: 72, scale: "css" });
  assert.ok(statSync(path).size < 150_000, `${path} is larger than 150 KB`);
}
