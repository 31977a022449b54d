// Turns a path of the toolCall chart into one call of a real turn, and looks at the result it ends with.

import { createConversation } from '../../src/conversation/conversation.ts';
import { userMessage } from '../../src/conversation/message.ts';
import type { Approval } from '../../src/contracts/engine.ts';
import type { EngineEvent } from '../../src/contracts/events.ts';
import { chartsOf } from '../../src/runtime/charts.ts';
import { createChartedEngine } from '../../src/runtime/engine.ts';
import { toolCallMachine } from '../../src/machines/tool-call.ts';
import { turnMachine } from '../../src/machines/turn.ts';
import { scriptedModel, simulatedHost, verifyEvents, verifyTranscript } from '../../src/testing/index.ts';
import type { MachinePath, ScriptedStep } from '../../src/testing/index.ts';
import { createBackgroundTasks } from '../../src/runtime/background-tasks.ts';
import { defineBackgroundTool } from '../../src/tools/define-background-tool.ts';
import { PairLog } from './real-turn.ts';

/** How the call is run: as an actor that an inspector sees, or without one. */
export type CallRunner = 'actor' | 'bare';

const toolTimeoutMs = 50;
const cancelGraceMs = 20;

/** Why a path cannot happen in a real turn, or undefined. */
function whyUnreal(path: MachinePath): string | undefined {
  for (const [index, { from, to, name }] of path.entries()) {
    const isLast = index === path.length - 1;
    if (name === 'went into the background and failed') return 'whether it fails is known later';
    if (from === to && !(from === 'running' && name === 'cancel')) return 'a fact is reported where it is waited for';
    if (from === 'validating' && name === 'cancel' && !isLast) return 'a call that never started is over';
    if (name === 'was refused and cut') return 'a message stops for one reason';
  }
  return undefined;
}

/** The status that the call's result must have, by the chart's final state. */
export type DrivenCall = { readonly skipped: string } | { readonly status: string; readonly log: PairLog };

/** Executes the path with a real turn around it and gives the status of the result. */
export async function driveToolCall(path: MachinePath, runner: CallRunner): Promise<DrivenCall> {
  const skipped = whyUnreal(path);
  if (skipped !== undefined) return { skipped };
  const names = path.map(({ name }) => name);
  const has = (part: string) => names.some((name) => name.includes(part));
  const host = simulatedHost();
  const log = new PairLog();
  const approvals: ((answer: Approval) => void)[] = [];
  const tools: { readonly settle: () => void; readonly fail: () => void }[] = [];
  const never = names[0] === 'cancel';
  const name = has('names no tool') ? 'ghost' : 'worker';
  const args = { count: has('has wrong arguments') ? 'many' : 1, run_in_background: has('background') };
  const step: ScriptedStep = {
    // A call that is cancelled before it is looked at waits behind another one.
    calls: [...(never ? [{ name: 'before', args: { count: 1 } }] : []), { name, args, id: 'the call' }],
    ...(has('was refused') ? { stopReason: 'refusal' as const } : {}),
    ...(has('was cut') ? { stopReason: 'maxTokens' as const } : {}),
  };
  const tool = (toolName: string) =>
    defineBackgroundTool({
      name: toolName,
      description: toolName,
      parameters: { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] },
      needsApproval: has('asked about'),
      execute: () =>
        new Promise((resolve, reject) => {
          tools.push({ settle: () => resolve('done'), fail: () => reject(new Error('no')) });
        }),
    });
  const engine = createChartedEngine(
    {
      model: scriptedModel((_request, { index }) => (index === 0 ? step : { text: 'fine' })),
      tools: [tool('worker'), tool('before')],
      transformers: [],
      toolTimeoutMs,
      backgroundTasks: createBackgroundTasks({ host }),
      cancelGraceMs,
      approve: () => new Promise((resolve) => approvals.push(resolve)),
      host,
      ...(runner === 'actor' ? { inspect: log.inspect as (event: unknown) => void } : {}),
    },
    chartsOf(turnMachine, toolCallMachine),
  );
  const conversation = createConversation();
  conversation.messages.push(userMessage('go'));
  const run = engine.run(conversation);
  const events: EngineEvent[] = [];
  const reading = (async () => {
    for await (const event of run) events.push(event);
  })();
  await host.settle();
  for (const { name: fact } of path) {
    if (fact === 'cancel') void run.cancel();
    else if (fact === 'allowed') approvals.shift()?.({ allow: true });
    else if (fact === 'allowed with wrong arguments') approvals.shift()?.({ allow: true, args: { count: 'x' } });
    else if (fact.startsWith('denied')) approvals.shift()?.({ allow: false, message: 'no' });
    else if (fact === 'returned') tools.shift()?.settle();
    else if (fact === 'failed') tools.shift()?.fail();
    else if (fact === 'timed out') await host.advance(toolTimeoutMs);
    else if (fact === 'grace time over') {
      void run.cancel();
      await host.advance(cancelGraceMs);
    }
    await host.settle();
  }
  void run.cancel();
  await host.advance(10_000);
  await reading;
  verifyEvents(events);
  verifyTranscript(conversation);
  const blocks = conversation.messages.flatMap(({ content }) => content);
  const results = blocks.flatMap((block) =>
    block.type === 'toolResult' && block.callId === 'the call' ? [block] : [],
  );
  if (results.length !== 1) throw new Error(`${results.length} results for one call.`);
  return { status: results[0]?.status ?? '', log };
}
