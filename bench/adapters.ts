// What decoding costs: CPU per event of our models against the SDK's response read by a minimal parser (the floor), and
// against the SDKs' own streams, on the same bytes. Run: node bench/adapters.ts [events] [rounds]

import { anthropicRow } from './adapter-rows/anthropic.ts';
import { chatRow, responsesRow } from './adapter-rows/openai.ts';
import type { AdapterRow } from './adapter-rows/row.ts';

const rows: readonly AdapterRow[] = [anthropicRow, responsesRow, chatRow];
const eventCount = Number(process.argv[2] ?? 20_000);
const rounds = Number(process.argv[3] ?? 15);
const eventsPerChunk = [1, 4, 32];

interface Cell {
  readonly way: string;
  readonly chunk: number;
  readonly microseconds: number[];
}

for (const row of rows) await measure(row);

/**
 * Every way in turn within each round, so that all of them see the same noise. The SDK's own streams have rounds of
 * their own: they leave so much behind that whoever comes next pays for collecting it.
 */
async function measure(row: AdapterRow): Promise<void> {
  const events = row.events(eventCount);
  const ways = Object.keys(row.ways);
  const isSdk = (way: string): boolean => way.startsWith('SDK');
  const cellsOf = (some: readonly string[]): readonly Cell[] =>
    eventsPerChunk.flatMap((chunk) => some.map((way): Cell => ({ way, chunk, microseconds: [] })));
  const groups = [cellsOf(ways.filter((way) => !isSdk(way))), cellsOf(ways.filter(isSdk))];
  for (const cells of groups) await runRounds(row, events, cells);
  print(row.name, ways, groups.flat());
}

async function runRounds(row: AdapterRow, events: readonly string[], cells: readonly Cell[]): Promise<void> {
  for (let round = -1; round < rounds; round++) {
    // The first round warms up; later ones begin with another way each time.
    for (const offset of cells.keys()) {
      const cell = cells[(offset + Math.max(round, 0)) % cells.length];
      if (cell === undefined) continue;
      const spent = await cpuOf(row, cell.way, events, cell.chunk);
      if (round >= 0) cell.microseconds.push(spent / events.length);
    }
  }
}

async function cpuOf(row: AdapterRow, way: string, events: readonly string[], chunk: number): Promise<number> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < events.length; at += chunk) {
    chunks.push(new TextEncoder().encode(events.slice(at, at + chunk).join('')));
  }
  const fetchOnce: typeof fetch = () => Promise.resolve(responseOf(chunks));
  const read = row.ways[way];
  if (read === undefined) throw new Error(`no way "${way}"`);
  const before = process.cpuUsage();
  const characters = await read(fetchOnce);
  const { user, system } = process.cpuUsage(before);
  if (characters !== row.characters(events.length)) {
    throw new Error(`${row.name}, ${way}: read ${characters} characters, expected ${row.characters(events.length)}`);
  }
  return user + system;
}

function responseOf(chunks: readonly Uint8Array[]): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[next++];
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

// The least of the rounds: what the work costs when nobody else has the processor.
function print(name: string, ways: readonly string[], cells: readonly Cell[]): void {
  console.log(`\n${name}: ${eventCount} events, best of ${rounds} rounds, µs CPU per event (× floor)`);
  const best = (way: string, chunk: number): number =>
    Math.min(...(cells.find((cell) => cell.way === way && cell.chunk === chunk)?.microseconds ?? []));
  const table = ways.map((way) => {
    const line: Record<string, string> = { way };
    for (const chunk of eventsPerChunk) {
      const own = best(way, chunk);
      line[`${chunk} per chunk`] = `${own.toFixed(2)} (${(own / best('floor', chunk)).toFixed(2)}×)`;
    }
    return line;
  });
  console.table(table);
}
