/** Every page in light, dark and on a phone: no serious accessibility faults, a small first load, and pictures for the docs. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Table, accessibilityFaults, keepPicture, myTurn, startGame } from "./support.js";

const LOOKS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};

/** @type {Table} */ let table;
/** @type {string} */ let watched;
before(async () => {
  table = await Table.open();
  const page = await table.page();
  await startGame(page, { map: "ford", level: "sergeant", side: "watch" });
  assert.ok(await myTurn(page), "two players play it to its end");
  watched = page.url().replace("#/game/", "#/replay/");
  await page.context().close();
});
after(() => table.close());

/** Checks a page as it stands, and keeps a picture. */
async function look(page, name) {
  await page.evaluate(() => scrollTo(0, 0));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${name}: ${wide} pixels wider than the screen`);
  const clipped = await page.evaluate(() => [...document.querySelectorAll(".panel")].filter((panel) => panel.scrollWidth > panel.clientWidth).length);
  assert.equal(clipped, 0, `${name}: a panel is too narrow for what it holds`);
  assert.deepEqual(await accessibilityFaults(page), [], name);
  assert.deepEqual(page.faults, [], name);
  await keepPicture(page, name);
}

/** Opens the choice of attacks with the best exchange that any unit can have; it covers neither attacker nor target. */
async function showAttack(page) {
  const next = page.getByRole("button", { name: "Next unit" });
  const units = Number.parseInt(await page.locator(".about").textContent());
  const attacks = [];
  for (let unit = 0; unit < units; unit++) {
    await next.click();
    const targets = await page.evaluate(() => {
      const forecasts = [...document.querySelectorAll(".pill.forecast")].map((one) => one.textContent.replaceAll("−", "").split(" | ").map(Number));
      return [...document.querySelectorAll(".mark-target")].map((mark, place) => ({ cell: ["x", "y"].map((name) => (Number(mark.getAttribute(name)) - 1) / 40 + 1), gain: forecasts[place][0] - forecasts[place][1] }));
    });
    attacks.push(...targets.map((target) => ({ unit, ...target })));
  }
  const best = attacks.sort((a, b) => b.gain - a.gain)[0];
  for (let unit = 0; unit <= best.unit; unit++) await next.click();
  await page.click(`[data-x="${best.cell[0]}"][data-y="${best.cell[1]}"]`);
  await page.waitForSelector(".popover .exchange");
  const isHidden = await page.evaluate(([x, y]) => {
    const panel = document.querySelector(".popover").getBoundingClientRect();
    return [".mark-selected", `[data-x="${x}"][data-y="${y}"]`].some((part) => {
      const box = document.querySelector(part).getBoundingClientRect();
      return box.left < panel.right && panel.left < box.right && box.top < panel.bottom && panel.top < box.bottom;
    });
  }, best.cell);
  assert.ok(!isHidden, "attacker and target can be seen");
}

for (const [lookName, options] of Object.entries(LOOKS)) {
  test(`every page, ${lookName}`, async () => {
    const page = await table.page(options);
    await look(page, `home-${lookName}`);
    await startGame(page, { map: "ambush" });
    await myTurn(page);
    await showAttack(page);
    await look(page, `tubstap-${lookName}`);
    await startGame(page, { map: "crossroads" });
    await myTurn(page);
    await page.getByRole("link", { name: "Analyse" }).click();
    await page.waitForSelector(".candidate-row");
    await page.waitForFunction(() => !document.querySelector(".figures")?.textContent.startsWith("Searching"));
    await look(page, `analysis-${lookName}`);
    await page.goto(watched);
    await page.waitForSelector(".scrubber");
    await page.getByRole("button", { name: "Find turning points" }).click();
    await page.waitForSelector(".turning-points h2");
    await page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" }); // all positions have values
    assert.equal(await page.locator("st-value-bar.unknown").count(), 0, "the position that is shown has a value now");
    const point = page.locator(".turning-points .small").first();
    const number = (await point.textContent()).match(/Move (\d+)/)[1];
    await point.click();
    assert.equal(await page.locator(".moves .chosen .move-number").first().textContent(), number, "the list numbers moves in the same way");
    await look(page, `replay-${lookName}`);
    await startGame(page, { game: "Conquest", map: "italy" });
    await myTurn(page);
    for (let i = 0; i < 5; i++) await page.locator(".territory.mine").first().click();
    await look(page, `conquest-${lookName}`);
    await page.context().close();
  });
}

test("the first load is small", async () => {
  const page = await table.page();
  let bytes = 0;
  page.on("response", async (response) => (bytes += Number(response.headers()["content-length"] ?? 0)));
  await page.reload();
  await page.waitForSelector(".card");
  await page.waitForLoadState("networkidle");
  assert.ok(bytes > 50_000 && bytes < 300_000, `${bytes} bytes`);
});
