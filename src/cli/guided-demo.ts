// What the command shows without a prompt: two turns on the current folder, with a tool call, a steering message and a
// late one, explained step by step. Called by main.ts.

import {
  createEngine,
  createOperative,
  type EngineOptions,
  type Operative,
  type OperativeEvent,
  type Tool,
  type Transformer,
} from '../index.ts';
import { activeStates } from './chat/active-states.ts';
import { demoModel } from './demo-model.ts';
import type { Reporter } from './report.ts';

/** What the demo needs. */
export interface DemoParts {
  readonly tools: readonly Tool[];
  /** Text for people. */
  readonly reporter: Reporter;
  readonly seed: number;
  /** Between the model's words, in milliseconds; the narrator's pauses grow with it. 0 = none. */
  readonly paceMs: number;
  /** For an inspector. */
  readonly inspect: EngineOptions['inspect'];
  /** Aborted: the demo ends at once. */
  readonly signal: AbortSignal;
}

const question = 'how many files are here, and which is the longest?';
const change = 'no, only the Markdown files: how many are there?';
const late = 'thank you!';

/**
 * Runs the demo, always on the demo model. Everything else is real: the operative, its charts, the tools. A transformer
 * plays the person and holds the turn until the person's message has arrived, so that the demo is the same on every
 * machine. Resolves to whether it went as explained.
 */
export async function runGuidedDemo({ tools, reporter, seed, paceMs, inspect, signal }: DemoParts): Promise<boolean> {
  const write = reporter.print;
  const pause = (words: number) => wait(words * paceMs * 10, signal);
  const tell = async (text: string): Promise<void> => {
    write(`${text}\n`);
    await pause(text.split(/\s+/).length);
  };
  const type = async (text: string): Promise<void> => {
    const { outcome } = await operative.submit(text);
    const fate = { startedTurn: '', injected: '  ↪ injected', queued: '  ⏎ queued for the next turn', rejected: '' };
    write(`› ${text}${fate[outcome]}\n`);
    await pause(4);
  };
  const states = () => `  (${activeStates(operative)})`;
  let turns = 0;

  const person: Transformer = {
    name: 'the person of the demo',
    async afterIteration(_, { iteration }) {
      if (turns > 1 || iteration > 1) return;
      await tell(`\n▸ 2. Before the tool runs, we change our mind and type: the message steers the running turn.`);
      await type(change);
      write(`${states()}\n\n`);
    },
    async afterTurn() {
      if (turns > 1) return;
      await tell(
        `\n▸ 3. The answer is complete and the turn is closing. A message that comes now is late, but not lost.`,
      );
      await type(late);
      write(`${states()}\n\n`);
    },
  };
  const operative: Operative = createOperative({
    engine: createEngine({
      model: demoModel({ seed, paceMs }),
      tools,
      transformers: [person],
      ...(inspect === undefined ? {} : { inspect }),
    }),
    lateMessages: 'start',
  });
  const reasons: string[] = [];
  const isOver = new Promise<void>((resolve) => {
    operative.subscribe((event: OperativeEvent) => {
      if (event.type === 'turn.started') turns++;
      if (event.type === 'turn.started' && turns === 2) write('\n▸ 4. The late message starts the next turn.\n');
      if (event.type !== 'message.queued') reporter.report(event);
      if (event.type === 'operative.closed') resolve();
      if (event.type === 'turn.completed') reasons.push(event.reason);
      if (event.type === 'turn.completed' && (turns === 2 || event.reason !== 'completed')) resolve();
    });
  });
  signal.addEventListener('abort', () => void operative.close(), { once: true });

  write('A guided demo of about ten seconds. The model is a script, everything else is real.\n\n');
  await tell('▸ 1. A message starts a turn. The model calls a tool on this folder.');
  await type(question);
  await isOver;
  reporter.end();
  if (signal.aborted) return false;
  const { messages } = operative.conversation;
  const own = messages.filter(({ role }) => role === 'user').length;
  write(
    `\n▸ ${reasons.length} turns, one conversation of ${messages.length} messages; each of our ${own} is in it once.\n`,
  );
  write('  In a terminal, `npm start` starts a chat where you type; `-p "…"` asks one question.\n');
  await operative.close();
  return own === 3 && reasons.length === 2 && reasons.every((reason) => reason === 'completed');
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
