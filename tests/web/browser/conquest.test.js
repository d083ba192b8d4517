/** Conquest played by clicks and drags; replays and analysis. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Table, myTurn, startGame } from "./support.js";

/** @type {Table} */ let table;
before(async () => (table = await Table.open()));
after(() => table.close());

const territory = (page, t) => page.locator(`[data-territory="${t}"]`);

/** The march that is most likely to succeed: from an own territory to a neighbour that is not ours. */
function plan(page) {
  return page.evaluate(async () => {
    const id = location.hash.split("/")[2];
    const replay = await (await fetch(`/api/replays/${id}`)).json();
    const { owner, armies } = replay.views.at(-1).board;
    const pairs = replay.ground.edges.flatMap(([a, b]) => [[a, b], [b, a]]).filter(([a, b]) => owner[a] === 0 && owner[b] !== 0);
    pairs.sort(([a, b], [c, d]) => armies[a] - armies[b] - (armies[c] - armies[d])).reverse();
    return pairs[0] ?? null;
  });
}

async function playTurn(page, drag) {
  const pair = await plan(page);
  const [source, target] = pair;
  while (await page.locator(".segment[aria-pressed=true]", { hasText: "Deploy" }).count()) await territory(page, source).click();
  if (drag) await territory(page, source).dragTo(territory(page, target));
  else {
    await territory(page, source).click();
    await territory(page, target).click();
  }
  await page.locator(".popover").getByRole("button", { name: /^All/ }).click();
  assert.ok((await page.locator(".order-list li").count()) >= 2, "the orders are listed before they are sent");
  const turn = await page.locator(".moves li").count();
  await page.getByRole("button", { name: "Send orders" }).click();
  await page.waitForFunction((count) => document.querySelectorAll(".moves li").length > count || document.querySelector(".game-status strong")?.textContent.match(/won|Draw/), turn);
}

test("a whole game by clicks and drags", async () => {
  const page = await table.page();
  await startGame(page, { game: "Conquest", map: "simple" });
  await myTurn(page);
  assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0, "nothing can be taken back here");
  const foreign = page.locator(".territory:not(.mine)").first();
  await foreign.click();
  assert.match(await page.locator(".notice.refusal").textContent(), /not yours/);
  for (let turn = 0; !(await myTurn(page)); turn++) await playTurn(page, turn % 2 === 0);
  assert.match(await page.locator(".game-status strong").textContent(), /won|Draw/);
  assert.deepEqual(page.faults, []);

  await page.getByRole("link", { name: "Replay" }).click();
  const scrubber = page.locator(".scrubber");
  await scrubber.waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save record" }).click();
  assert.ok((await download).suggestedFilename().endsWith(".jsonl"));
  await scrubber.fill("1");
  assert.match(await page.locator(".side-panel").textContent(), /1 \/ /);
  await page.keyboard.press("Home");
  await page.locator("h1").click();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await scrubber.inputValue(), "2");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => Number(document.querySelector(".scrubber").value) > 2 || Number(document.querySelector(".scrubber").max) <= 2);
  await page.getByRole("button", { name: "First position" }).click();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: "Next move" }).click();
  await page.getByRole("button", { name: "Play", exact: true }).waitFor(); // stepping has stopped the playback
  assert.deepEqual(page.faults, []);
});

test("a turn is played step by step, with its losses", async () => {
  const page = await table.page({ reducedMotion: "no-preference" });
  await startGame(page, { game: "Conquest", map: "simple" });
  await myTurn(page);
  const steps = page.waitForSelector(".steps li");
  await playTurn(page, true);
  assert.match(await (await steps).textContent(), /deploys|marches/);
  await myTurn(page);
  await page.getByText("The last turn").click();
  assert.match(await page.locator(".last-turn").textContent(), /red marches \d+ from/, "what happened can be read again");
  assert.ok(await page.locator(".layer-last .march.side-0").count(), "the last marches are marked");
  assert.ok(await page.locator(".segment", { hasText: "Deploy (" }).count(), "the next orders can be given");
  assert.deepEqual(page.faults, []);
});

test("the list of turns keeps pace with the board", async () => {
  const page = await table.page({ reducedMotion: "no-preference" });
  await startGame(page, { game: "Conquest", map: "italy", level: "champion", side: "watch" });
  await page.waitForSelector(".moves li");
  assert.equal(await page.locator(".verdict").count(), 0, "turns are listed as they are shown, not all at the end");
  assert.deepEqual(page.faults, []);
});

test("steps that come quickly in a replay are not animated one after the other", async () => {
  const page = await table.page();
  await startGame(page, { game: "Conquest", map: "italy", level: "sergeant", side: "watch" });
  assert.ok(await myTurn(page), "two players play it to its end");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.getByRole("link", { name: "Replay" }).click();
  const next = await page.getByRole("button", { name: "Next move" }).elementHandle();
  const animated = await page.evaluate(async (button) => {
    let count = 0;
    const observer = new globalThis.MutationObserver((changes) => (count += changes.reduce((sum, change) => sum + change.addedNodes.length, 0)));
    observer.observe(document.querySelector(".layer-effects"), { childList: true });
    for (let i = 0; i < 3; i++) button.click();
    const { views, ground } = await (await fetch(`/api/replays/${location.hash.split("/")[2]}`)).json();
    const words = views[3].board.armies.map((armies, t) => [ground.territories[t].name, armies]);
    const isShown = () => words.every(([name, armies], t) => document.querySelector(`[data-territory="${t}"]`).getAttribute("aria-label").match(new RegExp(`^${name}, \\w+, ${armies} `)));
    while (!isShown()) await new Promise((resolve) => setTimeout(resolve, 20));
    return count;
  }, next);
  assert.equal(animated, 0);
  assert.deepEqual(page.faults, []);
});

test("a hint stays while its orders are given, and a drag that leaves the map ends", async () => {
  const page = await table.page();
  await startGame(page, { game: "Conquest", map: "simple" });
  await myTurn(page);
  await page.getByRole("button", { name: "Hint" }).click();
  await page.waitForSelector(".hint");
  const [source, target] = await plan(page);
  await territory(page, source).click();
  assert.ok(await page.locator(".layer-arrows *").count());

  const box = await territory(page, source).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y, { steps: 3 });
  assert.equal(await page.locator(".layer-effects .march").count(), 1, "an arrow follows the pointer");
  await page.mouse.move(2, 2);
  await page.mouse.up();
  await page.mouse.move(x, y);
  assert.equal(await page.locator(".layer-effects .march, .tile.source").count(), 0);

  const orders = page.locator(".order-list li");
  await page.mouse.down(); // a hand that trembles during a click
  await page.mouse.move(x + 12, y, { steps: 3 });
  await page.mouse.up();
  assert.equal(await page.locator(".tile.source").count(), 0, "a deployment marks no source");
  assert.match(await orders.textContent(), /^Deploy 2 /);
  await page.getByRole("button", { name: "March", exact: true }).click();
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 12, y, { steps: 3 });
  await page.mouse.up();
  assert.equal(await page.locator(".tile.source").count(), 1);
  await territory(page, target).click();
  await page.locator(".popover").getByRole("button", { name: /^All/ }).click();
  assert.equal(await orders.count(), 2);
  await page.getByRole("button", { name: "Send orders" }).click();
  await page.getByRole("button", { name: "Send orders" }).click(); // not all is deployed
  await page.waitForSelector(".moves li");
  assert.equal(await page.locator(".layer-arrows *").count(), 0, "a hint is for the position in which it was asked for");
  assert.deepEqual(page.faults, []);
});

test("orders are given by touch", async () => {
  const page = await table.page({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await startGame(page, { game: "Conquest", map: "simple" });
  await myTurn(page);
  const [source, target] = await plan(page);
  await territory(page, source).tap();
  assert.match(await page.locator(".order-list").textContent(), /^Deploy 1 /);
  assert.match(await page.locator(".orders .quiet").textContent(), /^Tap your territories/);
  const left = Number.parseInt((await page.getByRole("button", { name: /^Deploy \(/ }).textContent()).match(/\d+/)[0]);
  await page.getByRole("button", { name: `All +${left} on` }).tap();
  assert.match(await page.locator(".order-list").textContent(), new RegExp(`^Deploy ${1 + left} `), "no tap for each army is needed");
  assert.equal(await page.getByRole("button", { name: / \+\d+ on/ }).count(), 0, "nothing is left");
  const finger = await page.context().newCDPSession(page);
  const points = await Promise.all([source, target].map((t) => territory(page, t).boundingBox()));
  const [from, to] = points.map((box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 }));
  await finger.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [from] });
  for (const share of [0.3, 0.6, 1]) await finger.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y) }] });
  await finger.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.locator(".popover").getByRole("button", { name: /^Half/ }).tap();
  assert.equal(await page.locator(".order-list li").count(), 2, "a march is dragged with a finger");
  assert.deepEqual(page.faults, []);
});

test("the button beside the simulations pauses a search that runs, and starts one otherwise", async () => {
  const page = await table.page();
  await startGame(page, { map: "crossroads" });
  await myTurn(page);
  await page.getByRole("link", { name: "Analyse" }).click();
  await page.getByLabel("Simulations").selectOption("20000");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("The search is paused.").waitFor();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText(/^Searching/).waitFor();
  await page.getByLabel("Simulations").selectOption("200");
  await searched(page);
  await page.getByRole("button", { name: "Search", exact: true }).waitFor();
  assert.deepEqual(page.faults, []);
});

test("a turn of both sides at once is analysed", async () => {
  const page = await table.page();
  await startGame(page, { game: "Conquest", map: "simple" });
  await myTurn(page);
  await page.getByRole("link", { name: "Analyse" }).click();
  await page.waitForSelector(".candidate-row");
  assert.ok(await page.locator(".layer-arrows *").count(), "the best orders are drawn on the board");
  assert.match(await page.locator(".layer-arrows .chance").textContent(), /^(1: )?\d+%$/, "with their chance, and their rank if there are others");
  await page.getByRole("button", { name: "Blue", exact: true }).click();
  await page.waitForSelector(".candidate-row");
  await page.locator(".candidate-row").first().click();
  await page.getByRole("button", { name: "Take back" }).waitFor();
  assert.match(await page.locator(".tried").first().textContent(), /^Red deploys .*; Blue deploys /, "the other side does what is likely");
  await page.waitForSelector(".compared");
  assert.deepEqual(page.faults, []);
});

test("two at one screen give orders in turn, and either can resign", async () => {
  const page = await table.page();
  await startGame(page, { game: "Conquest", map: "simple", side: "both" });
  await myTurn(page);
  assert.equal(await page.locator(".player.active").count(), 2);
  for (let i = 0; i < 2; i++) await page.getByRole("button", { name: "Send orders" }).click();
  await page.getByText("Blue to move").waitFor();
  assert.match(await page.locator(".player.active").textContent(), /^Blue/, "red's orders are there");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Red to move").waitFor();
  for (let i = 0; i < 2; i++) await page.getByRole("button", { name: "Send orders" }).click();
  await page.getByText("Blue to move").waitFor();
  await page.getByRole("button", { name: "Resign" }).click();
  assert.match(await page.getByRole("dialog").textContent(), /^Resign this game for Blue\?/);
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).click();
  await page.getByText("Red won (surrender)").waitFor();
  assert.equal(await page.getByRole("button", { name: "Send orders" }).count(), 0, "no more orders are asked for");
  assert.deepEqual(page.faults, []);
});

/** Waits for the end of a search: until then, candidates change their places. */
const searched = (page) => page.waitForFunction(() => document.querySelector(".candidate-row") && !document.querySelector(".figures").textContent.startsWith("Searching"));

test("a position is analysed, a line tried and taken back", async () => {
  const page = await table.page();
  await startGame(page, { map: "duel" });
  await myTurn(page);
  await page.getByRole("link", { name: "Analyse" }).click();
  await searched(page);
  assert.ok(await page.locator(".layer-arrows .candidate, .layer-arrows .candidate-stay").count(), "candidates are drawn on the board");
  const first = await page.locator(".candidate-row .sentence").first().textContent();
  await page.locator(".candidate-row").first().click();
  await page.getByRole("button", { name: "Take back" }).waitFor();
  assert.ok((await page.locator(".line .chips").textContent()).includes(first));
  await page.waitForSelector(".compared[aria-current]");
  await page.getByRole("button", { name: "Take back" }).click();
  await page.getByRole("button", { name: "Take back" }).waitFor({ state: "detached" });
  await searched(page);
  await page.locator(".candidate-row", { hasNotText: first }).first().click();
  await page.waitForFunction(() => document.querySelectorAll(".compared").length === 2);
  const values = (await page.locator(".compared strong").allTextContents()).map((text) => Number.parseInt(text));
  assert.ok(values[0] >= values[1], "the better line comes first");
  await page.locator(".compared:not([aria-current])").click();
  await page.waitForFunction((words) => document.querySelector(".compared[aria-current]")?.textContent.includes(words), first);
  assert.ok((await page.locator(".line .chips").textContent()).includes(first), "a click goes back to a line");
  assert.deepEqual(page.faults, []);
});
