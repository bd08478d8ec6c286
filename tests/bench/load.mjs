// Loads an HTTP server that is running: node load.mjs PORT PID echo|list CONNECTIONS REQUESTS. Prints with tabs between: the
// requests, seconds that passed, and CPU seconds of the server's process. Answers may be chunked.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [port, pid, kind, connections, requests] = process.argv
  .slice(2)
  .map((word, at) => (at === 2 ? word : Number(word)));
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const [method, params, expected] = {
  echo: ['tools/call', { name: 'echo', arguments: { text: 'hello, world' } }, '"text":"hello, world"'],
  list: ['tools/list', {}, 'tool_00048'],
}[kind];
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
const headers = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(params.name ? { 'mcp-name': params.name } : {}),
};
const agent = new Agent({ keepAlive: true, maxSockets: connections });

function ask() {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => {
        if (response.statusCode === 200 && text.includes(expected)) resolve();
        else reject(new Error(`${response.statusCode}: ${text.slice(0, 400)}`));
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

async function load(count) {
  let left = count;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      await ask();
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
}

/** User and system time of the server, in seconds; ticks are a hundredth. */
function cpu() {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

await load(Math.ceil(requests / 10) + connections);
const [before, started] = [cpu(), performance.now()];
await load(requests);
console.log([requests, (performance.now() - started) / 1000, cpu() - before].join('\t'));
agent.destroy();
