// Tools: typed arguments, results of every kind, what may run in parallel, progress, and state of one conversation.

// #region tool
import { z } from 'zod';
import { createEngine, createOperative, defineTool, ToolResult, type ToolContext } from '../src/index.ts';

const convert = defineTool({
  name: 'convert',
  description: 'Converts an amount of money.',
  parameters: z.object({
    amount: z.number().positive(),
    from: z.enum(['EUR', 'USD']),
    to: z.enum(['EUR', 'USD']),
  }),
  isConcurrencySafe: true, // read-only: may run in parallel with such calls
  timeoutMs: 5_000,
  execute: async ({ amount, from, to }, { signal }) => ({ amount: amount * (await rate(from, to, signal)), to }),
});
// #endregion tool

// #region results
const report = defineTool({
  name: 'report',
  description: 'Draws the sales report.',
  parameters: z.object({ year: z.int() }),
  execute: ({ year }, { progress }) => {
    if (year > 2026) return ToolResult.error(`There are no figures for ${year}. The last year is 2026.`);
    progress({ drawn: 'bars' }); // becomes a toolCall.progress event
    return ToolResult.blocks([
      { type: 'text', text: `Sales of ${year}` },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: picture } },
    ]);
  },
});
// #endregion results

// #region session
const visits = Symbol('visits');

const remember = defineTool({
  name: 'remember',
  description: 'Counts its calls.',
  parameters: z.object({}),
  execute: (_, { session }) => {
    const state = session.get(visits, () => ({ count: 0 })); // one per conversation
    state.count += 1;
    return `called ${state.count} time(s) in this conversation`;
  },
});
// #endregion session

// #region context
interface Caller {
  readonly user: string;
}

const whoami = defineTool({
  name: 'whoami',
  description: 'Says who is asking.',
  parameters: z.object({}),
  execute: (_, { turnContext }: ToolContext<Caller | undefined>) => turnContext?.user ?? 'somebody',
});
// #endregion context

import { scriptedModel } from '../src/testing/index.ts';

const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const model = scriptedModel([
  {
    calls: [
      { name: 'convert', args: { amount: 10, from: 'EUR', to: 'USD' } },
      { name: 'convert', args: { amount: 'ten', from: 'EUR', to: 'USD' } },
      { name: 'report', args: { year: 2026 } },
      { name: 'report', args: { year: 2030 } },
      { name: 'remember', args: {} },
      { name: 'whoami', args: {} },
    ],
  },
  { text: 'Done.' },
]);
const operative = createOperative({ engine: createEngine({ model, tools: [convert, report, remember, whoami] }) });
// #region give-context
const { events } = await operative.submit('Try everything.', { turnContext: { user: 'Ann' } });
// #endregion give-context
for await (const event of events) {
  if (event.type !== 'toolCall.settled') continue;
  const content = event.result.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`));
  console.log(`${event.call.name} ${event.result.status}: ${content.join(' ')}`);
}
await operative.close();

async function rate(from: string, to: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  return Promise.resolve(from === to ? 1 : 1.1);
}
