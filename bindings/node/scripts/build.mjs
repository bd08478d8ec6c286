// Builds the native part with cargo and puts it beside index.js. Needs nothing but Rust and Node.
// With --debug it is quicker to build, slower to run.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { copyFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const { fileName } = createRequire(import.meta.url)('../lib/native-name.js');
const target = join(folder, fileName());

function cargo(words) {
  const options = { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 30, encoding: 'utf8' };
  const done = spawnSync(process.env.CARGO ?? 'cargo', words, options);
  if (done.error?.code === 'ENOENT') {
    throw new Error('mcpcore is built from source here, and cargo was not found: install Rust (https://rustup.rs)');
  }
  if (done.status !== 0) throw new Error(`cargo ${words.join(' ')} failed`);
  return done.stdout;
}

/** The library that cargo built, by what it says itself. */
function artefact(output) {
  for (const line of output.split('\n')) {
    const message = line.startsWith('{') ? JSON.parse(line) : {};
    if (message.reason === 'compiler-artifact' && message.target.name === 'mcpcore_node') return message.filenames[0];
  }
  throw new Error('cargo built no library');
}

function build(debug) {
  const words = ['build', '-p', 'mcpcore-node', '--message-format=json-render-diagnostics'];
  const library = artefact(cargo(debug ? words : [...words, '--release']));
  // A program that has the old one loaded keeps it: the new one takes its name.
  const fresh = `${target}.new`;
  copyFileSync(library, fresh);
  const strip = process.platform === 'darwin' ? ['-x'] : ['--strip-unneeded'];
  // Only size: where there is no `strip`, the file works all the same.
  if (!debug && process.platform !== 'win32') spawnSync('strip', [...strip, fresh], { stdio: 'ignore' });
  renameSync(fresh, target);
  console.log(`built ${target}`);
}

build(process.argv.includes('--debug'));
