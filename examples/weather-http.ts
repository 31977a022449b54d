// Two tools that make HTTP requests: one with a service client that holds the credentials, one without a client that
// formats the response itself. The service runs on this machine.

import { createServer } from 'node:http';
import { z } from 'zod';
import { createEngine, createOperative } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { createHttpServiceClient, defineHttpTool } from '../src/tools/http/index.ts';

// A small weather service: it requires a key and knows one city.
const service = createServer((request, response) => {
  if (request.url?.startsWith('/stations/') === true) {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"name":"Montsouris","metres":75,"since":1872}');
  } else if (request.headers.authorization !== 'Bearer weather-key-123') response.writeHead(401).end('wrong key');
  else if (request.url?.endsWith('city=Paris') === true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"sky":"clear","celsius":21}');
  } else response.writeHead(404).end('no such city');
});
await new Promise<void>((listening) => service.listen(0, '127.0.0.1', listening));
const address = service.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

// #region weather
const client = createHttpServiceClient({
  baseURL: `http://127.0.0.1:${port}/v1/`,
  headers: () => ({ authorization: `Bearer ${process.env['WEATHER_KEY'] ?? 'weather-key-123'}` }),
});

const weather = defineHttpTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  parameters: z.object({ city: z.string() }),
  isConcurrencySafe: true,
  client,
  buildRequest: ({ city }) => client.request(`weather?${new URLSearchParams({ city })}`),
});
// #endregion weather

// #region station
const station = defineHttpTool({
  name: 'station',
  description: 'Tells where a weather station stands.',
  parameters: z.object({ id: z.int() }),
  isConcurrencySafe: true,
  timeoutMs: 10_000,
  allowHosts: [`127.0.0.1:${port}`], // with a port, it may be a private address
  buildRequest: ({ id }) => new Request(`http://127.0.0.1:${port}/stations/${id}`),
  formatResponse: async (response, { id }) => {
    if (!response.ok) return `There is no station ${id}.`; // its status makes it a failed result
    const { name, metres } = z.object({ name: z.string(), metres: z.number() }).parse(await response.json());
    return `${name}, ${metres} m above the sea`;
  },
});
// #endregion station

const model = scriptedModel([
  {
    calls: [
      { name: 'weather', args: { city: 'Paris' } },
      { name: 'weather', args: { city: 'Atlantis' } },
      { name: 'station', args: { id: 7156 } },
    ],
  },
  { text: 'Clear sky and 21 °C in Paris; the service does not know Atlantis.' },
]);
const operative = createOperative({ engine: createEngine({ model, tools: [weather, station] }) });
const { events } = await operative.submit('How is the weather in Paris and in Atlantis?');
for await (const event of events) {
  if (event.type === 'toolCall.settled') console.log(event.result.status, JSON.stringify(event.result.content));
  if (event.type === 'text.delta') console.log(event.text);
}
service.close();
