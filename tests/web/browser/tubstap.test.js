/** TUBSTAP played by clicks and by keys alone. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Table, myTurn, startGame } from "./support.js";

/** @type {Table} */ let table;
before(async () => (table = await Table.open()));
after(() => table.close());

const status = (page) => page.locator(".game-status strong").textContent();
const moveCount = (page) => page.locator(".moves li").count();

/** Plays one unit by clicks: an attack if there is one, else the cell of its reach that lies nearest to an enemy. */
async function playUnit(page) {
  const playedBefore = await moveCount(page);
  await page.getByRole("button", { name: "Next unit" }).click();
  const target = await page.locator(".mark-target").first().evaluate((mark) => [mark.getAttribute("x"), mark.getAttribute("y")], null, { timeout: 1 }).catch(() => null);
  const cell = target ? await cellAt(page, target) : await nearestCell(page);
  await page.locator(`[data-x="${cell[0]}"][data-y="${cell[1]}"]`).click();
  const option = page.locator(".popover .option").first();
  if (await option.count()) await option.click();
  await page.waitForFunction((count) => document.querySelectorAll(".moves li").length > count || /won|Draw/.test(document.querySelector(".game-status strong")?.textContent), playedBefore);
}

const cellAt = async (_page, [x, y]) => [(Number(x) - 1) / 40 + 1, (Number(y) - 1) / 40 + 1];

function nearestCell(page) {
  return page.evaluate(() => {
    const cells = [...document.querySelectorAll("[role=gridcell]")].map((cell) => ({ x: Number(cell.dataset.x), y: Number(cell.dataset.y), name: cell.getAttribute("aria-label") }));
    const enemies = cells.filter((cell) => cell.name.includes("blue"));
    const reach = cells.filter((cell) => cell.name.includes("in reach"));
    const far = (cell) => Math.min(...enemies.map((enemy) => Math.abs(enemy.x - cell.x) + Math.abs(enemy.y - cell.y)));
    const best = reach.sort((a, b) => far(a) - far(b))[0];
    return [best.x, best.y];
  });
}

test("a whole game by clicks, with an illegal attempt, undo and a hint", async () => {
  const page = await table.page();
  await startGame(page, { map: "duel" });
  await myTurn(page);

  await page.click('[role=gridcell][aria-label*="red infantry"] >> nth=0');
  const outside = await page.evaluate(() => [...document.querySelectorAll("[role=gridcell]")].find((cell) => !/in reach|red|blue/.test(cell.getAttribute("aria-label"))).getAttribute("aria-label"));
  await page.click(`[role=gridcell][aria-label="${outside}"]`);
  assert.match(await page.locator(".notice.refusal").textContent(), /cannot go to/);
  assert.equal(await moveCount(page), 0, "an illegal attempt changes nothing");

  await playUnit(page);
  assert.equal(await moveCount(page), 1);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves li").length === 0);

  await page.getByRole("button", { name: "Hint" }).click();
  await page.waitForSelector(".hint");
  assert.match(await page.locator(".hint").textContent(), /^Hint: .*red/);
  assert.ok(await page.locator(".layer-arrows *").count(), "the hint is drawn on the board");
  await playUnit(page);
  assert.equal(await page.locator(".layer-arrows *").count(), 0, "a hint is for the position in which it was asked for");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves li").length === 0);

  await page.getByRole("button", { name: "Live analysis" }).click();
  await page.waitForSelector("st-search .candidate-row");
  await page.getByRole("button", { name: "Live analysis" }).click();
  assert.equal(await page.locator(".layer-arrows *").count(), 0, "candidates disappear with the search");
  await page.getByRole("button", { name: "Live analysis" }).click();
  await page.waitForSelector("st-search .candidate-row");
  await page.locator("st-search .candidate-row").first().click();
  await page.waitForFunction(() => document.querySelectorAll(".moves li").length === 1);
  await page.getByRole("button", { name: "Live analysis" }).click();

  while (!(await myTurn(page))) await playUnit(page);
  assert.match(await status(page), /won|Draw/);
  assert.ok((await moveCount(page)) > 4);

  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Record" }).click();
  assert.ok((await download).suggestedFilename().endsWith(".jsonl"));
  const words = await status(page);
  assert.equal(await page.locator(".verdict").textContent(), /^Red/.test(words) ? "Victory" : /^Blue/.test(words) ? "Defeat" : "Game over");
  assert.equal(await page.getByRole("button", { name: "Next: Private" }).count(), /^Red/.test(words) ? 1 : 0, "whoever wins is offered the next level");

  const played = page.url();
  await page.getByRole("button", { name: "Play again" }).click();
  await page.waitForURL((url) => url.href !== played);
  await myTurn(page);
  assert.equal(await page.locator(".map-name").textContent(), "duel");
  assert.equal(await moveCount(page), 0);
  assert.match(await page.locator(".player").last().textContent(), /Recruit/);
  assert.deepEqual(page.faults, []);
});

test("a whole game by keys alone", async () => {
  const page = await table.page();
  const key = (name) => page.keyboard.press(name);
  const focusOn = async (selector) => {
    for (let i = 0; i < 80; i++) {
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
      await key("Tab");
    }
    assert.fail(`no Tab leads to ${selector}`);
  };
  await focusOn('[data-map="duel"]');
  await key("Enter");
  await focusOn("input[name=level]");
  for (let i = 0; i < 8 && (await page.evaluate(() => document.activeElement.value !== "recruit")); i++) await key("ArrowUp");
  await focusOn(".start .primary");
  await key("Enter");
  await page.waitForSelector(".board");
  for (let turns = 0; !(await myTurn(page)); turns++) {
    const plies = await moveCount(page);
    await key("n");
    const [x, y] = await page.evaluate(() => [Number(document.activeElement.dataset.x), Number(document.activeElement.dataset.y)]);
    const [goalX, goalY] = await nearestCell(page);
    for (let i = 0; i < Math.abs(goalX - x); i++) await key(goalX > x ? "ArrowRight" : "ArrowLeft");
    for (let i = 0; i < Math.abs(goalY - y); i++) await key(goalY > y ? "ArrowDown" : "ArrowUp");
    await key("Enter");
    if (await page.locator(".popover").count()) {
      if ((await page.locator(".popover .option").count()) > 2) await key("ArrowDown"); // an attack comes after staying
      await key("Enter");
    }
    await page.waitForFunction((count) => document.querySelectorAll(".moves li").length > count || /won|Draw/.test(document.querySelector(".game-status strong")?.textContent), plies);
    assert.ok(turns < 400);
  }
  assert.match(await status(page), /won|Draw/);
  assert.deepEqual(page.faults, []);
});

test("while units can still act, a turn ends at the second request", async () => {
  const page = await table.page();
  await startGame(page, { map: "duel", side: "both" });
  await myTurn(page);
  await page.keyboard.press("e");
  assert.match(await page.locator(".notice.refusal").textContent(), /^3 units can still act/);
  await playUnit(page);
  await page.getByRole("button", { name: "End turn" }).click();
  assert.match(await page.locator(".notice.refusal").textContent(), /^2 units can still act/, "after a move it is asked again");
  assert.equal(await moveCount(page), 1);
  await page.keyboard.press("e");
  await page.getByText("Blue to move").waitFor();
  assert.deepEqual(page.faults, []);
});

test("a side is named at the edge of the board where its army stands", async () => {
  const page = await table.page();
  await startGame(page, { map: "duel" });
  await myTurn(page);
  const middle = async (selector) => {
    const boxes = await page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y));
    return boxes.reduce((sum, y) => sum + y, 0) / boxes.length;
  };
  assert.ok((await middle(".unit.side-0")) < (await middle(".unit.side-1")));
  assert.match(await page.locator(".player").first().textContent(), /^Red/);
  assert.match(await page.locator(".player").last().textContent(), /^Blue/);
  assert.deepEqual(page.faults, []);
});

test("moves are animated unless less motion is asked for", async () => {
  const page = await table.page({ reducedMotion: "no-preference" });
  await startGame(page, { map: "duel" });
  await myTurn(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.motion), "on");
  for (let i = 0; i < 4 && !(await myTurn(page)); i++) await playUnit(page);
  assert.ok((await moveCount(page)) > 3, "both sides have moved");
  await page.getByRole("button", { name: "Turn animations off" }).click();
  await page.reload();
  await myTurn(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.motion), "off", "the choice is kept");
  assert.deepEqual(page.faults, []);
});

test("a server that is killed during a game continues it after a restart", async () => {
  const page = await table.page();
  await startGame(page, { map: "ford" });
  await myTurn(page);
  await playUnit(page);
  const played = await moveCount(page);
  await table.killServer();
  const held = []; // a late answer to a repeated request must not take the page back
  await page.route("**/api/games", (route) => held.push(route));
  await page.waitForSelector(".offline:not([hidden])");
  await table.startServer();
  await page.waitForSelector(".offline", { state: "hidden" });
  await myTurn(page);
  assert.equal(await moveCount(page), played, "the game is where it was");
  await playUnit(page);
  for (const route of held) {
    const answered = page.waitForResponse("**/api/games");
    await route.continue();
    await (await answered).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  }
  assert.equal(await moveCount(page), played + 1);
  await page.unroute("**/api/games");
  await page.reload();
  await myTurn(page);
  assert.equal(await moveCount(page), played + 1);
  assert.deepEqual(page.faults, []);
});

test("a game that continues while its page loads is shown at its latest position", async () => {
  const page = await table.page();
  await startGame(page, { map: "duel", side: "both" });
  const other = await page.context().newPage();
  await other.goto(page.url());
  await myTurn(other);
  const told = page.waitForEvent("websocket").then(async (socket) => {
    await socket.waitForEvent("framereceived", { predicate: ({ payload }) => /"state"/.test(String(payload)) }); // it joined
    const news = socket.waitForEvent("framereceived", { predicate: ({ payload }) => /"event": ?"game"/.test(String(payload)) });
    for (let i = 0; i < 2; i++) await other.getByRole("button", { name: "End turn" }).click();
    await news;
  });
  await page.route("**/api/games", async (route) => {
    await told;
    await route.continue();
  });
  await page.reload();
  await page.waitForSelector(".moves li");
  assert.deepEqual(page.faults, []);
});

test("the board describes cells, the page lists keys, and the start page offers to continue", async () => {
  const page = await table.page();
  await startGame(page, { map: "crossroads" });
  await myTurn(page);
  const about = page.locator(".about");
  assert.equal(await about.textContent(), "7 units can act.");
  await page.hover('[role=gridcell][aria-label*="fortress"] >> nth=0');
  assert.match(await about.textContent(), /^fortress at \d+, \d+, defence 4/);
  await page.click('[role=gridcell][aria-label*="red fighter"] >> nth=0');
  assert.match(await about.textContent(), /^(red )?fighter, HP /, "a unit that is selected says what it can do, under the pointer too");
  await page.keyboard.press("Escape");

  await page.keyboard.press("?");
  assert.match(await page.getByRole("dialog").textContent(), /next unit that can act/);
  await page.keyboard.press("n");
  await page.getByRole("button", { name: "Close" }).click();
  assert.equal(await page.getByRole("dialog").count(), 0);
  assert.equal(await page.locator(".mark-selected").count(), 0, "while the dialog is open, keys do not reach the board");

  await page.goto(new URL("#/", page.url()).href);
  await page.getByRole("link", { name: /^Continue crossroads/ }).click();
  await myTurn(page);
  await playUnit(page);
  await page.getByRole("link", { name: "Analyse" }).click();
  await page.waitForSelector("st-analysis .moves");
  assert.equal(await page.locator(".moves .chosen").count(), 1, "the list of moves says where the analysis is");
  await page.keyboard.press("ArrowLeft");
  await page.getByText("Position 0").waitFor();
  await page.keyboard.press("End");
  await page.getByText("Position 1").waitFor();
  assert.ok(await page.getByRole("button", { name: "Next position" }).isDisabled());
  assert.deepEqual(page.faults, []);
});
