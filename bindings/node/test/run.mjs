// Runs every test file, and ends with one line: N passed, N failed.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const words = process.argv.slice(2);
const chosen = (name) =>
  name.endsWith('.test.mjs') && (words.length === 0 || words.some((word) => name.includes(word)));
const files = readdirSync(folder)
  .filter(chosen)
  .map((name) => join(folder, name));

let passed = 0;
let failed = 0;

function tell({ name, nesting, details, file }) {
  const { error } = details;
  const cause = error?.cause ?? error;
  console.log(`FAIL ${'  '.repeat(nesting)}${name} (${file})\n${cause?.stack ?? cause}`);
}

const stream = run({ files, concurrency: 2, timeout: 1_500_000 });
stream.on('test:fail', (event) => {
  failed += 1;
  tell(event);
});
stream.on('test:pass', ({ name, nesting, details }) => {
  passed += 1;
  if (nesting === 0) console.log(`ok ${name} (${Math.round(details.duration_ms)} ms)`);
});
stream.on('test:stdout', ({ message }) => process.stdout.write(message));
stream.on('test:stderr', ({ message }) => process.stderr.write(message));
stream.on('end', () => {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
});
stream.resume();
