// Writes index.d.ts, index.d.mts and lib/native.d.ts: what Rust's own docs say of the native part (its type
// definitions), and the files in types/ for what is written in JavaScript. With --check it only says whether they are fresh.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const PUBLIC = ['ServerSettings', 'CallerInit', 'RefusalInit', 'HttpSettings', 'SocketSettings'];
const HEAD = '// Written by scripts/types.mjs from the Rust docs and types/; change those.\n';

/** What the macros note down while the crate is compiled. */
function definitions() {
  const place = mkdtempSync(join(tmpdir(), 'mcpcore-types-'));
  try {
    // They note only what is compiled anew.
    const now = new Date();
    utimesSync(join(folder, 'src', 'lib.rs'), now, now);
    const env = { ...process.env, NAPI_TYPE_DEF_TMP_FOLDER: place };
    execFileSync(process.env.CARGO ?? 'cargo', ['check', '-q', '-p', 'mcpcore-node'], {
      cwd: folder,
      env,
      stdio: 'inherit',
    });
    const lines = readdirSync(place).flatMap((name) => readFileSync(join(place, name), 'utf8').split('\n'));
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  } finally {
    rmSync(place, { recursive: true });
  }
}

const indent = (text) =>
  text
    .split('\n')
    .map((line) => (line ? `  ${line.trim().replace(/^\*/, ' *')}` : line))
    .join('\n');

function shape({ kind, name, js_doc: doc, def }) {
  const body = indent(def.replaceAll('\\n', '\n'));
  return `${doc ?? ''}export ${kind === 'interface' ? 'interface' : 'class'} ${name} {\n${body}\n}\n`;
}

/** The engine's class is written in several parts. */
function merged(found) {
  const parts = found.filter(({ name, kind }) => name === 'Engine' && kind !== 'interface');
  const def = parts
    .map((part) => part.def)
    .filter(Boolean)
    .sort()
    .join('\\n');
  const doc = parts.map((part) => part.js_doc).find(Boolean);
  return { kind: 'class', name: 'Engine', js_doc: doc, def };
}

function files() {
  const found = definitions();
  const interfaces = found.filter(({ kind }) => kind === 'interface').sort((a, b) => (a.name < b.name ? -1 : 1));
  const open = interfaces.filter(({ name }) => PUBLIC.includes(name)).map(shape);
  const types = join(folder, 'types');
  const written = readdirSync(types)
    .sort()
    .map((name) => readFileSync(join(types, name), 'utf8'));
  const field = 'export type Field = number | string | Buffer | null;\n';
  return {
    'index.d.ts': [HEAD, ...open, ...written].join('\n'),
    'index.d.mts': `${HEAD}export * from './index.js';\n`,
    'lib/native.d.ts': [HEAD, field, ...interfaces.map(shape), shape(merged(found))].join('\n'),
  };
}

let stale = 0;
for (const [name, text] of Object.entries(files())) {
  const path = join(folder, name);
  let old;
  try {
    old = readFileSync(path, 'utf8');
  } catch {
    old = undefined;
  }
  if (old === text) continue;
  stale += 1;
  if (process.argv.includes('--check')) console.error(`${name} is stale: run node scripts/types.mjs`);
  else writeFileSync(path, text);
}
if (process.argv.includes('--check')) process.exitCode = stale > 0 ? 1 : 0;
