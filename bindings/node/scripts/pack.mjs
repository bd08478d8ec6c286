// Lays the package as it is published into a folder, the native library inside and nothing to build, and packs it:
//   node scripts/pack.mjs PLACE
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const { fileName } = createRequire(import.meta.url)('../lib/native-name.js');
const place = resolve(process.argv[2]);
const staged = join(place, 'package');

if (!existsSync(join(folder, fileName()))) throw new Error('the native library is not there: node scripts/build.mjs');
rmSync(staged, { recursive: true, force: true });
mkdirSync(staged, { recursive: true });
const { scripts, ...published } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const files = ['index.js', 'index.mjs', 'index.d.ts', 'index.d.mts', 'lib', 'docs', 'README.md', fileName()];
for (const name of files) cpSync(join(folder, name), join(staged, name), { recursive: true });
for (const name of ['LICENSE-MIT', 'LICENSE-APACHE']) cpSync(join(folder, '..', '..', name), join(staged, name));
const manifest = { ...published, files: [...files, 'LICENSE-MIT', 'LICENSE-APACHE'] };
writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
const npm = process.env.NPM ?? 'npm';
execFileSync(npm, ['pack', staged, '--pack-destination', place, '--silent'], { stdio: 'inherit' });
