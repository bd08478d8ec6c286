// A first server: one tool, one resource, one template, one prompt, over stdio.
import { Server, ToolError } from 'mcpcore';

const WEATHER = { Oslo: '-3 °C and snow', Lima: '19 °C and fog' };

const server = new Server({ name: 'weather', version: '1.0.0' });

server.tool(
  {
    name: 'get_weather',
    description: 'Current weather of Oslo or Lima.',
    inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  },
  ({ place }) => {
    if (!(place in WEATHER)) throw new ToolError('No weather for this place; try Oslo or Lima.');
    return WEATHER[place];
  },
);
server.resource({ uri: 'weather://places', mimeType: 'text/plain' }, () => Object.keys(WEATHER).join('\n'));
server.resource({ uriTemplate: 'weather://place/{name}', mimeType: 'text/plain' }, ({ name }) => WEATHER[name]);
server.prompt(
  { name: 'forecast', arguments: [{ name: 'place', required: true }] },
  ({ place }) => `What will the weather be like in ${place} tomorrow?`,
);

await server.serveStdio();
