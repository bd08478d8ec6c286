// What several tests use: servers, raw messages, child processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server } from 'mcpcore';

export const folder = dirname(dirname(fileURLToPath(import.meta.url)));

const KEY = 'io.modelcontextprotocol';
export const META = {
  [`${KEY}/protocolVersion`]: '2026-07-28',
  [`${KEY}/clientInfo`]: { name: 'test', version: '1' },
  [`${KEY}/clientCapabilities`]: {},
};

/** A request of the modern revision as text. */
export function request(method, params = {}, { id = 1, meta = {} } = {}) {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...META, ...meta } } });
}

export const call = (name, args, more) => request('tools/call', { name, arguments: args }, more);

/** A server whose log is kept. */
export function quiet(options = {}) {
  const lines = [];
  const server = new Server({
    name: 'test',
    version: '1.0.0',
    log: (level, text) => lines.push(`${level}: ${text}`),
    ...options,
  });
  return Object.assign(server, { lines });
}

/** The texts of a result. */
export const texts = ({ content }) => content.map((block) => block.text);

/** Posts a message to an endpoint as a client of the modern revision does. */
export function post(url, body, { headers = {}, signal } = {}) {
  const { method, params = {} } = JSON.parse(body);
  const name = params.name ?? params.uri;
  return fetch(url, {
    method: 'POST',
    signal,
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
      ...headers,
    },
  });
}

/** Runs a module's source in a process of its own: its output, how it ended. */
export function script(source, { args = [], env = {}, input, timeout = 300_000, cwd = folder } = {}) {
  return run([process.execPath, '--input-type=module', ...args, '-e', source], { env, input, timeout, cwd });
}

export async function run(command, { env = {}, input, timeout = 300_000, cwd = folder } = {}) {
  const child = spawn(command[0], command.slice(1), { cwd, env: { ...process.env, ...env }, timeout });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (said.stdout += chunk));
  child.stderr.on('data', (chunk) => (said.stderr += chunk));
  if (input === undefined) child.stdin.end();
  else await input(child, said);
  const [code, signal] = await once(child, 'close');
  return { ...said, code, signal };
}

/** Waits until something is so. */
export async function until(done, what = 'it', patience = 120_000) {
  const end = Date.now() + patience;
  while (!(await done())) {
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const example = (name) => join(folder, 'examples', name);
