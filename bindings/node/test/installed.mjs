// Installs a package file into an empty folder, where nothing can be built, and runs the first program of each README there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const packed = resolve(process.argv[2]);
const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const place = mkdtempSync(join(tmpdir(), 'mcpcore-installed-'));
const npm = process.env.NPM ?? 'npm';

try {
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  const env = { ...process.env, CARGO: '/nonexistent/cargo' };
  execFileSync(npm, ['install', packed, '--no-audit', '--no-fund', '--silent'], { cwd: place, env, stdio: 'inherit' });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  for (const [program, name, args, answer] of [
    ['weather.mjs', 'get_weather', { place: 'Oslo' }, '-3 °C and snow'],
    ['first.mjs', 'greet', { name: 'Ann' }, 'Hello Ann!'],
  ]) {
    copyFileSync(join(folder, 'examples', program), join(place, program));
    const params = { name, arguments: args, _meta: meta };
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`;
    const said = execFileSync(process.execPath, [program], { cwd: place, input, encoding: 'utf8' });
    assert.equal(JSON.parse(said).result.content[0].text, answer);
  }
  execFileSync(process.execPath, ['-e', "require('mcpcore').Server"], { cwd: place });
  console.log('1 passed, 0 failed');
} finally {
  rmSync(place, { recursive: true });
}
