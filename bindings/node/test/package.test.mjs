import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import * as esm from 'mcpcore';
import { folder, run } from './support.mjs';

const require = createRequire(import.meta.url);
const read = (...path) => readFileSync(join(folder, ...path), 'utf8');

test('one version for crate and package', () => {
  const workspace = /\[workspace\.package\]\s+version = "([^"]+)"/.exec(read('..', '..', 'Cargo.toml'))[1];
  assert.equal(JSON.parse(read('package.json')).version, workspace);
  assert.equal(esm.version, workspace);
});

test('both loaders give the same things, and the types name all of them', () => {
  const cjs = require('mcpcore');
  const { default: _, 'module.exports': __, ...named } = esm;
  assert.deepEqual({ ...named }, { ...cjs });
  const declared = [...read('index.d.ts').matchAll(/^export (?:class|function|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set(declared)].sort(), Object.keys(cjs).sort());
});

test('every public member of the classes is typed, and none besides', () => {
  const text = read('index.d.ts');
  for (const name of ['Server', 'Client', 'Call']) {
    const body = new RegExp(`^export class ${name}\\b[^]*?^}`, 'm').exec(text)[0];
    const declared = new Set([...body.matchAll(/^ {2}(?:readonly )?(\w+)[<(:?]/gm)].map(([, member]) => member));
    declared.delete('constructor');
    declared.delete('private');
    const own = Object.getOwnPropertyNames(esm[name].prototype).filter((member) => member !== 'constructor');
    const instance = { Server: ['fetch'], Client: [], Call: ['kind', 'number', 'shared'] }[name];
    assert.deepEqual([...declared].sort(), [...own, ...instance].sort(), name);
  }
});

test('the options that the types name are those that are taken', () => {
  const text = read('index.d.ts');
  const members = (name) =>
    [...new RegExp(`interface ${name}\\b[^{]*{([^]*?)^}`, 'm').exec(text)[1].matchAll(/^ {2}(\w+)\??:/gm)].map(
      ([, member]) => member,
    );
  const known = (file) => new Set([...read('lib', file).matchAll(/'(\w+)'/g)].map(([, word]) => word));
  for (const member of [...members('ServerSettings'), ...members('ServerOptions')])
    assert.ok(known('options.js').has(member), member);
  for (const member of [
    ...members('HttpSettings'),
    ...members('SocketSettings'),
    ...members('ListenOptions'),
    ...members('AdmissionOptions'),
  ]) {
    assert.ok(known('http.js').has(member), member);
  }
});

test('index.d.ts is what the Rust docs and types/ say', async () => {
  const { code, stderr } = await run([process.execPath, join(folder, 'scripts', 'types.mjs'), '--check'], {
    timeout: 1_200_000,
  });
  assert.equal(code, 0, stderr);
});

test('tsc --strict on test/types.ts is clean', async () => {
  const { code, stdout } = await run(
    [join(folder, 'node_modules', '.bin', 'tsc'), '-p', join(folder, 'test', 'tsconfig.json')],
    { timeout: 1_200_000 },
  );
  assert.equal(code, 0, stdout);
});

test('the native library is under 8 MiB', () => {
  const { fileName } = require(join(folder, 'lib', 'native-name.js'));
  const { size } = statSync(join(folder, fileName()));
  console.log(`${fileName()}: ${(size / 2 ** 20).toFixed(2)} MiB`);
  // A debug build, for quick tests, carries its symbols.
  assert.ok(size < 8 * 2 ** 20 || process.env.MCPCORE_DEBUG === '1');
});
