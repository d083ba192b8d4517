/** A game without a board of its own: its picture, and its moves as a list. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Table, accessibilityFaults, myTurn, startGame } from "./support.js";

/** @type {Table} */ let table;
before(async () => (table = await Table.open(["--import", "support.goofspiel"])));
after(() => table.close());

test("a user's own game is played to the end", async () => {
  const page = await table.page();
  await startGame(page, { game: "Goofspiel", map: "four", level: "random" });
  while (!(await myTurn(page))) {
    const played = await page.locator(".moves li").count();
    await page.locator(".move-buttons .option").first().click();
    await page.waitForFunction((count) => document.querySelectorAll(".moves li").length > count, played);
  }
  assert.ok(await page.locator("img.board-picture").evaluate((image) => image.naturalWidth > 0 && image.alt.includes("points")));
  assert.deepEqual(await accessibilityFaults(page), []);
  await page.getByRole("link", { name: "Replay" }).click();
  await page.getByRole("button", { name: "Last position" }).click();
  assert.equal(await page.locator(".scrubber").inputValue(), "4");
  assert.deepEqual(page.faults, []);
});
