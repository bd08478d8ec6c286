// What the TypeScript clients of all revisions share: they count, and keep what they were answered.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';

/** Counts expectations, and keeps answers; `who` says whose they are. */
export function tally(who) {
  const counts = { passed: 0, failed: 0 };
  return {
    /** Counts one expectation; what it throws is a failure. */
    async check(name, expectation) {
      try {
        await expectation();
        counts.passed += 1;
      } catch (error) {
        counts.failed += 1;
        console.log(`FAIL ${who()}, ${name}: ${error?.message ?? error}`);
      }
    },
    /** Keeps a result, for run.py to compare with those of other clients. */
    keep(name, result) {
      appendFileSync(process.env.MCPCORE_ANSWERS, `${JSON.stringify([name, who(), result])}\n`);
      return result;
    },
    /** Says how it went, and leaves. */
    end(what) {
      console.log(`${what}: ${counts.passed} passed, ${counts.failed} failed`);
      process.exit(counts.failed > 0 ? 1 : 0);
    },
  };
}

/** The one block of text of a tool's result. */
export function text(result) {
  assert.equal(result.content.length, 1);
  return result.content[0].text;
}

/** Every page of a list, asked for one by one: without params some clients gather all by themselves. */
export async function walk(page, items) {
  const found = [];
  let pages = 0;
  let cursor;
  do {
    const result = await page(cursor === undefined ? {} : { cursor });
    found.push(...items(result));
    pages += 1;
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return [found, pages];
}
