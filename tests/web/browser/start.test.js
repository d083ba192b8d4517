/** The start page: maps from files and generators, records, the choice of players, how a game is played. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Table, accessibilityFaults, myTurn, startGame } from "./support.js";

/** @type {Table} */ let table;
before(async () => (table = await Table.open()));
after(() => table.close());

test("a map from a file is played, and a file that is no map is refused", async () => {
  const page = await table.page();
  const file = page.locator("#map-file");
  await file.setInputFiles({ name: "nonsense.tbsmap", mimeType: "text/plain", buffer: Buffer.from("<script>alert(1)</script>") });
  await page.waitForSelector(".notice.refusal");
  assert.match(await page.locator(".notice").textContent(), /nonsense\.tbsmap/);
  const map = readFileSync(new URL("../../../src/sandtable/tubstap/maps/ford.tbsmap", import.meta.url), "utf8");
  await file.setInputFiles({ name: "mine.tbsmap", mimeType: "text/plain", buffer: Buffer.from(map) });
  await page.waitForSelector('.card[aria-pressed=true][data-map^="map-"]');
  assert.match(await page.locator(".card[aria-pressed=true]").textContent(), /^mine/, "a map without a name has the file's");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForSelector("st-tubstap-board .unit");
  await page.goto(new URL("#/", page.url()).href);
  await page.getByLabel("size").fill("11");
  await page.getByRole("button", { name: "Generate" }).click();
  await page.waitForSelector(".notice:not(:empty)");
  assert.match(await page.locator(".notice").textContent(), /is ready/);
  assert.match(await page.locator(".card[aria-pressed=true]").textContent(), /^battle-\d{1,5}11x11/);
  assert.deepEqual(page.faults, []);
});

/** Drops a file on the page. */
const drop = (page, name, text) => page.evaluate(([name, text]) => {
  const dataTransfer = new globalThis.DataTransfer();
  dataTransfer.items.add(new globalThis.File([text], name));
  document.querySelector("main").dispatchEvent(new globalThis.DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}, [name, text]);

test("two players of different levels are watched, and their record is dropped on another page", async () => {
  const page = await table.page();
  await page.click('[data-map="duel"]');
  await page.locator("input[name=side][value=watch]").check({ force: true });
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByLabel("Red is played by").selectOption("recruit");
  await page.getByLabel("Blue is played by").selectOption("sergeant");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForSelector(".board");
  assert.ok(await myTurn(page), "they play to the end");
  assert.deepEqual((await page.locator(".player strong").allTextContents()).sort(), ["Blue: Sergeant", "Red: Recruit"]);
  const record = await page.evaluate(async () => (await fetch(document.querySelector("a[download]").href)).text());
  await startGame(page, { map: "ford" });
  await myTurn(page);
  await drop(page, "game.jsonl", record);
  await page.waitForSelector("st-replay .scrubber");
  await drop(page, "game.json", record);
  await page.waitForFunction((before) => location.hash.startsWith("#/replay/") && location.href !== before, page.url());
  await drop(page, "nonsense.json", "{}");
  await page.waitForSelector(".notice.refusal");
  assert.match(await page.locator(".notice").textContent(), /^nonsense\.json: /);
  assert.deepEqual(page.faults, []);
});

test("games show their dates, and are removed after a confirmation", async () => {
  const page = await table.page();
  for (const map of ["siege", "pass"]) {
    await startGame(page, { map, side: "both" });
    await myTurn(page);
  }
  await page.goto(new URL("#/", page.url()).href);
  const games = page.getByRole("region", { name: "Your games" });
  const entry = games.getByRole("listitem").filter({ hasText: "siege" });
  assert.match(await entry.locator("time").textContent(), /^\d{1,2} \w{3,4} \d{4}, \d\d:\d\d$/);
  await entry.getByRole("button", { name: /^Remove siege/ }).click();
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("button", { name: "Keep it" }).click();
  assert.equal(await entry.count(), 1);
  await entry.getByRole("button", { name: /^Remove siege/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await entry.waitFor({ state: "detached" });
  await page.reload();
  await games.getByRole("listitem").filter({ hasText: "pass" }).waitFor();
  assert.equal(await entry.count(), 0);
  assert.deepEqual(page.faults, []);
});

test("long names of players stay within the cards of a file's games", async () => {
  const page = await table.page();
  await startGame(page, { map: "duel", level: "recruit", side: "watch" });
  assert.ok(await myTurn(page), "two players play it to the end");
  const record = JSON.parse(await page.evaluate(async () => (await fetch(document.querySelector("a[download]").href)).text()));
  const line = JSON.stringify({ ...record, players: ["sandtable(simulations=16)", "tempered(player='pvmcts(net=sandtable,simulations=30)',temperature=2.0)"] });
  await drop(page, "games.jsonl", `${line}\n${line}\n`);
  const cards = page.locator(".kept[aria-label='Games of games.jsonl'] a");
  await cards.first().waitFor();
  const wider = await cards.evaluateAll((all) => all.map((card) => Math.max(card.scrollWidth - card.clientWidth, card.getBoundingClientRect().right - card.closest("li").getBoundingClientRect().right)));
  assert.deepEqual(wider.map((pixels) => Math.max(0, Math.round(pixels))), [0, 0]);
  assert.match(await cards.first().textContent(), /(Red won|Blue won|draw)$/);
  assert.deepEqual(page.faults, []);
});

test("the page explains how each game is played", async () => {
  const page = await table.page();
  for (const [game, words] of [["TUBSTAP", /at the turn limit/i], ["Conquest", /all deploys come first/]]) {
    await page.getByRole("button", { name: game, exact: true }).click();
    await page.getByRole("button", { name: "How to play" }).click();
    assert.match(await page.getByRole("dialog").textContent(), words);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.press("Escape");
    assert.equal(await page.getByRole("dialog").count(), 0);
  }
});
