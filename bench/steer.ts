// The steer row of `npm run bench`: microseconds from `submit` inside a running tool to the model call that carries the
// message. Each sample has an engine and an operative of its own, as a chat that just began; the first ones run cold code.

import { createEngine, createOperative, defineTool, textOf, type Model, type StreamEvent } from '../src/index.ts';

const text = 'and quickly, please';

async function* answer(call: number): AsyncGenerator<StreamEvent> {
  yield { type: 'message.start' };
  if (call === 0) {
    yield { type: 'toolInput.start', index: 0, id: 'call', name: 'look' };
    yield { type: 'toolInput.delta', index: 0, json: '{}' };
    yield { type: 'toolInput.end', index: 0 };
  } else {
    yield { type: 'text.start', index: 0 };
    yield { type: 'text.delta', index: 0, text: 'done' };
    yield { type: 'text.end', index: 0 };
  }
  yield { type: 'message.end', stopReason: call === 0 ? 'toolUse' : 'endTurn' };
}

async function ours(): Promise<number> {
  let sent = 0;
  let seen = 0;
  let calls = 0;
  const model: Model = {
    id: 'free',
    stream: ({ messages }) => {
      if (messages.some((message) => textOf(message).includes(text))) seen ||= performance.now();
      return answer(calls++);
    },
  };
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object' },
    execute: async () => {
      sent = performance.now();
      void operative.submit(text);
      return { ok: true };
    },
  });
  const operative = createOperative({ engine: createEngine({ model, tools: [look] }) });
  for await (const _ of (await operative.submit('go')).events);
  await operative.close();
  if (seen === 0) throw new Error('The model never saw the steered message.');
  return (seen - sent) * 1000;
}

// The least there is: a queue that is looked at before each call.
async function floor(): Promise<number> {
  const transcript: string[] = ['go'];
  const queue: string[] = [];
  let sent = 0;
  for (let call = 0; ; call++) {
    transcript.push(...queue.splice(0));
    if (transcript.includes(text)) return (performance.now() - sent) * 1000;
    let asks = false;
    for await (const event of answer(call)) if (event.type === 'toolInput.end') asks = true;
    if (!asks) throw new Error('The queue was forgotten.');
    sent = performance.now();
    queue.push(text);
    transcript.push(await Promise.resolve('{"ok":true}'));
  }
}

/** The row's lines: the median of the first 15 samples, cold, and of 300 later ones, warm. */
export async function steerRow(): Promise<readonly string[]> {
  const sides = [floor, ours];
  const samples: number[][] = [[], []];
  for (let round = 0; round < 500; round++) {
    for (const [side, sample] of sides.entries()) samples[side]?.push(await sample());
  }
  const median = (list: readonly number[] = []) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN;
  const row = (name: string, of: (list: readonly number[]) => readonly number[]) => {
    const [base, own] = samples.map((list) => median(of(list)));
    return [name, 'steer', base?.toFixed(2), own?.toFixed(2), ((own ?? NaN) / (base ?? NaN)).toFixed(1), '-'].join(
      ' | ',
    );
  };
  return [
    row('steer: submit → model call, first 15', (list) => list.slice(0, 15)),
    row('steer: submit → model call, later', (list) => list.slice(-300)),
  ];
}
