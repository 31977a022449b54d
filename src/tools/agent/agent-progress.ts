// What the parent's listeners learn about a subagent: short updates. Fed with the events of its operative.

import type { OperativeEvent } from '../../contracts/events.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { textOf } from '../../conversation/message.ts';
import { shortText } from '../bounded-text.ts';
import type { BackgroundToolContext } from '../define-background-tool.ts';
import { isRecord } from '../schema-node.ts';

const maxTextUnits = 500;

type Update = { readonly [key: string]: JsonValue };

/** Passes milestones on: to `progress` while the parent's call waits, or as lines of output if it runs as a task. */
export class AgentProgress {
  /** Tool calls that were started. */
  calls = 0;
  readonly #name: string;
  readonly #context: BackgroundToolContext;

  constructor(name: string, context: BackgroundToolContext) {
    this.#name = name;
    this.#context = context;
  }

  hear(event: OperativeEvent): void {
    if (event.type === 'toolCall.started') this.calls++;
    const update = milestoneOf(event);
    if (update === undefined) return;
    const { taskId, progress, write } = this.#context;
    if (taskId === undefined) progress({ type: 'agent', agent: this.#name, event: event.type, ...update });
    else write(`${lineOf(event.type, update)}\n`);
  }
}

// A few for each model call and tool call, each of bounded size. Pieces of a stream and the progress of plain tools are
// not passed on; that of a nested agent is, so that a whole tree can be watched from its root.
function milestoneOf(event: OperativeEvent): Update | undefined {
  switch (event.type) {
    case 'toolCall.started':
    case 'toolCall.awaitingApproval':
      return { callId: event.call.id, tool: event.call.name };
    case 'toolCall.backgrounded':
      return { callId: event.call.id, tool: event.call.name, taskId: event.taskId };
    case 'toolCall.settled':
      return { callId: event.call.id, tool: event.call.name, status: event.result.status };
    case 'toolCall.progress':
      return isAgentUpdate(event.update) ? { callId: event.callId, update: event.update } : undefined;
    case 'assistant.settled': {
      const text = shortText(textOf(event.message).trim(), maxTextUnits);
      return text === '' ? undefined : { text };
    }
    case 'stream.retrying':
      return { attempt: event.attempt, error: event.error.code };
    case 'turn.completed': {
      const { inputTokens, outputTokens } = event.usage;
      return { reason: event.reason, iterations: event.iterations, inputTokens, outputTokens };
    }
    default:
      return undefined;
  }
}

function isAgentUpdate(update: unknown): update is Update {
  return isRecord(update) && update['type'] === 'agent';
}

function lineOf(event: string, update: Update): string {
  if (typeof update['text'] === 'string') return update['text'];
  const nested = update['update'];
  if (isAgentUpdate(nested)) {
    return `  ${String(nested['agent'])}: ${lineOf(String(nested['event']), nested).replaceAll('\n', '\n  ')}`;
  }
  const { tool, status, reason, attempt, iterations, inputTokens, outputTokens } = update;
  if (reason !== undefined) {
    return `[${String(reason)}: ${String(iterations)} model calls, ${String(inputTokens)} + ${String(outputTokens)} tokens]`;
  }
  const what = event.slice(event.indexOf('.') + 1);
  return `[${[tool, what, status ?? attempt].filter((part) => part !== undefined).join(' ')}]`;
}
