// `npm run bench`: our own hot paths beside a hand-written loop that does the same without any runtime. Figures are ratios
// within one interleaved run on a model and tools that cost nothing; the machine decides the microseconds.
// Run: node bench/run.ts [rounds] [milliseconds of a round]

import { createEngine, createOperative, defineTool, type Model, type StreamEvent } from '../src/index.ts';
import { steerRow } from './steer.ts';

const rounds = Number(process.argv[2] ?? 6);
const roundMs = Number(process.argv[3] ?? 250);

interface Answer {
  readonly deltas: number;
  readonly calls: number;
}

/** What the model answers to its n-th call. */
type Script = (call: number) => Answer;

interface Scenario {
  readonly name: string;
  /** What one unit is. */
  readonly unit: string;
  readonly units: number;
  readonly script: Script;
}

const scenarios: readonly Scenario[] = [
  { name: 'stream of 10,000 deltas', unit: 'delta', units: 10_000, script: () => ({ deltas: 10_000, calls: 0 }) },
  {
    name: 'loop of 100 tool calls',
    unit: 'iteration',
    units: 100,
    script: (call) => (call < 100 ? { deltas: 0, calls: 1 } : { deltas: 2, calls: 0 }),
  },
  {
    name: '100 parallel tool calls',
    unit: 'call',
    units: 100,
    script: (call) => (call === 0 ? { deltas: 0, calls: 100 } : { deltas: 2, calls: 0 }),
  },
  { name: 'short turn', unit: 'turn', units: 1, script: () => ({ deltas: 1, calls: 0 }) },
];

function* pieces({ deltas, calls }: Answer): Generator<StreamEvent> {
  yield { type: 'message.start' };
  let index = 0;
  if (deltas > 0) {
    yield { type: 'text.start', index };
    for (let n = 0; n < deltas; n++) yield { type: 'text.delta', index, text: 'word ' };
    yield { type: 'text.end', index: index++ };
  }
  for (let n = 0; n < calls; n++, index++) {
    yield { type: 'toolInput.start', index, id: `call_${n}`, name: 'look' };
    yield { type: 'toolInput.delta', index, json: '{"city":"Paris"}' };
    yield { type: 'toolInput.end', index };
  }
  yield { type: 'message.end', stopReason: calls > 0 ? 'toolUse' : 'endTurn' };
}

async function* stream(answer: Answer): AsyncGenerator<StreamEvent> {
  yield* pieces(answer);
}

// The least an agent loop does: call, read, run the tools, keep a transcript.
function floor({ script }: Scenario): () => Promise<number> {
  return async () => {
    const transcript: object[] = [];
    let seen = 0;
    for (let call = 0; ; call++) {
      let text = '';
      const calls: object[] = [];
      for await (const event of stream(script(call))) {
        if (event.type === 'text.delta') {
          text += event.text;
          seen++;
        } else if (event.type === 'toolInput.delta') calls.push(JSON.parse(event.json) as object);
      }
      transcript.push({ text, calls });
      if (calls.length === 0) return seen;
      transcript.push(await Promise.all(calls.map(async (args) => ({ ok: true, args }))));
    }
  };
}

function ours({ script }: Scenario): () => Promise<number> {
  let call = 0;
  const model: Model = { id: 'free', stream: () => stream(script(call++)) };
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    isConcurrencySafe: true,
    execute: async (args) => ({ ok: true, args }),
  });
  const operative = createOperative({ engine: createEngine({ model, tools: [look], maxIterations: 1000 }) });
  return async () => {
    call = 0;
    operative.conversation.messages.length = 0;
    let seen = 0;
    for await (const event of (await operative.submit('go')).events) if (event.type === 'text.delta') seen++;
    return seen;
  };
}

interface Figure {
  wall: number;
  cpu: number;
}

async function measure(once: () => Promise<number>, expected: number, units: number, best: Figure): Promise<void> {
  const until = performance.now() + roundMs;
  const cpu = process.cpuUsage();
  let runs = 0;
  do {
    const begun = performance.now();
    if ((await once()) !== expected) throw new Error('A run lost deltas.');
    best.wall = Math.min(best.wall, ((performance.now() - begun) * 1000) / units);
    runs++;
  } while (performance.now() < until);
  const { user, system } = process.cpuUsage(cpu);
  best.cpu = Math.min(best.cpu, (user + system) / runs / units);
}

console.log(
  'scenario | unit | floor µs | turnchart µs | wall, × floor | CPU, × floor\n--- | --- | ---: | ---: | ---: | ---:',
);
// First, while nothing is warm yet: a person who steers does so once.
for (const line of await steerRow()) console.log(line);
for (const scenario of scenarios) {
  const sides = [floor(scenario), ours(scenario)] as const;
  const expected = await sides[0]();
  const figures = sides.map((): Figure => ({ wall: Infinity, cpu: Infinity }));
  for (let round = 0; round < rounds; round++) {
    for (const [side, once] of sides.entries()) {
      const figure = figures[side];
      if (figure !== undefined) await measure(once, expected, scenario.units, figure);
    }
  }
  const [base, own] = figures;
  if (base === undefined || own === undefined) throw new Error('A side was not measured.');
  const ratio = (key: keyof Figure) => (own[key] / base[key]).toFixed(1);
  console.log(
    [scenario.name, scenario.unit, base.wall.toFixed(2), own.wall.toFixed(2), ratio('wall'), ratio('cpu')].join(' | '),
  );
}
