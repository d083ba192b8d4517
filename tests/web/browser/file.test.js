/** A recorded game as one HTML file, opened without any server. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { SANDTABLE, Table, accessibilityFaults, keepPicture, myTurn, startGame } from "./support.js";

/** @type {Table} */ let table;
before(async () => (table = await Table.open()));
after(() => table.close());

for (const [game, map] of [["TUBSTAP", "duel"], ["Conquest", "simple"]]) {
  test(`${game} in a file`, async () => {
    const page = await table.page();
    await startGame(page, { game, map, side: "watch" });
    assert.ok(await myTurn(page), "two players play it to its end");
    const [record, html] = ["game.jsonl", "game.html"].map((name) => join(table.folder, name));
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Record" }).click();
    await (await download).saveAs(record);
    execFileSync(SANDTABLE, ["show", record, "--html", html]);
    assert.ok(!/https?:\/\/(?!www\.w3\.org)/.test(readFileSync(html, "utf8")), "the file names no other address");

    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(html).href);
    const scrubber = page.locator(".scrubber");
    await scrubber.waitFor();
    await page.getByRole("button", { name: "Last position" }).click();
    assert.equal(await scrubber.inputValue(), await scrubber.getAttribute("max"));
    assert.ok(await page.locator(".board-picture use, .board-picture .token-shape").count());
    await page.getByRole("button", { name: "Previous move" }).click();
    await keepPicture(page, `file-${game.toLowerCase()}`);
    assert.deepEqual(await accessibilityFaults(page), []);
    assert.deepEqual(asked.filter((address) => !/^(file|data|blob):/.test(address)), []);
    assert.deepEqual(page.faults, []);
  });
}
