// One tool call from its arguments to its outcome. The chart decides; the dispatch service performs and reports facts.

import { setup } from 'xstate';

/** Shown in inspectors; the call's arguments and result stay outside. */
export interface ToolCallMachineContext {
  readonly callId: string;
  readonly name: string;
}

/** What is known about a call before anything runs. */
export interface CallChecked {
  readonly type: 'call.checked';
  /** False when the message that makes the call was refused: none of its calls may run. */
  readonly runnable: boolean;
  /** The message was cut by the token limit, so the arguments may be incomplete. */
  readonly truncated: boolean;
  /** The engine has a tool of that name. */
  readonly known: boolean;
  readonly valid: boolean;
  /** It needs approval first. */
  readonly asks: boolean;
}

/** Facts the dispatch service reports, and the two steps of a cancel. */
export type ToolCallMachineEvent =
  | CallChecked
  | { readonly type: 'approval.settled'; readonly allowed: boolean; readonly valid: boolean }
  | { readonly type: 'tool.settled'; readonly isError: boolean; readonly backgrounded: boolean }
  | { readonly type: 'call.timedOut' }
  | { readonly type: 'call.cancel' }
  | { readonly type: 'call.expire' };

// What guards are called with.
interface Step {
  readonly event: ToolCallMachineEvent;
}

const guards = {
  isRefused: ({ event }: Step) => event.type === 'call.checked' && !event.runnable,
  isTruncated: ({ event }: Step) => event.type === 'call.checked' && event.truncated,
  isUnknown: ({ event }: Step) => event.type === 'call.checked' && !event.known,
  isInvalid: ({ event }: Step) => event.type === 'call.checked' && !event.valid,
  asks: ({ event }: Step) => event.type === 'call.checked' && event.asks,
  isDenied: ({ event }: Step) => event.type === 'approval.settled' && !event.allowed,
  isSpoiled: ({ event }: Step) => event.type === 'approval.settled' && !event.valid,
  isError: ({ event }: Step) => event.type === 'tool.settled' && event.isError,
  isBackgrounded: ({ event }: Step) => event.type === 'tool.settled' && event.backgrounded,
};

const config = {
  id: 'toolCall',
  description: 'One tool call: checked, approved, run, settled.',
  options: { maxIterations: 1000 },
  context: ({ input }: { readonly input: ToolCallMachineContext }) => ({ callId: input.callId, name: input.name }),
  initial: 'validating',
  states: {
    validating: {
      description: 'The tool and the arguments are checked.',
      on: {
        'call.checked': [
          { guard: 'isRefused', target: 'notStarted' },
          { guard: 'isTruncated', target: 'truncated' },
          { guard: 'isUnknown', target: 'unknownTool' },
          { guard: 'isInvalid', target: 'invalidArguments' },
          { guard: 'asks', target: 'approving' },
          { target: 'running' },
        ],
        'call.cancel': 'notStarted',
      },
    },
    approving: {
      description: 'Waits for approval.',
      on: {
        'approval.settled': [
          { guard: 'isDenied', target: 'denied' },
          { guard: 'isSpoiled', target: 'invalidArguments' },
          { target: 'running' },
        ],
        'call.cancel': 'notStarted',
      },
    },
    running: {
      description: 'The tool runs. A cancel only aborts its signal: a result within the grace time still counts.',
      on: {
        'tool.settled': [
          { guard: 'isBackgrounded', target: 'backgrounded' },
          { guard: 'isError', target: 'failed' },
          { target: 'completed' },
        ],
        'call.timedOut': 'timedOut',
        'call.expire': 'interrupted',
      },
    },
    completed: { description: 'The tool returned.', type: 'final' },
    failed: { description: 'The tool threw or returned an error.', type: 'final' },
    timedOut: { description: 'The tool took longer than its limit and may have had effects.', type: 'final' },
    interrupted: { description: 'Cancelled while running; may have had effects.', type: 'final' },
    notStarted: { description: 'Cancelled or refused before it ran; had no effects.', type: 'final' },
    denied: { description: 'Approval was denied.', type: 'final' },
    invalidArguments: { description: 'The arguments do not fit the tool’s schema.', type: 'final' },
    unknownTool: { description: 'No tool has that name.', type: 'final' },
    truncated: { description: 'The token limit cut the message, so the call was not run.', type: 'final' },
    backgrounded: { description: 'The work continues as a background task.', type: 'final' },
  },
} as const;

/** The chart as data. Its final states are the statuses of a tool result, and `backgrounded`. */
export const toolCallChart = { id: config.id, config, implementations: { guards } };

/** The chart as an XState machine, to read, explore and replace guards of. */
export const toolCallMachine = /* @__PURE__ */ buildMachine();

// A function, so that a bundle that does not use the machine can leave it out, and XState's interpreter with it.
function buildMachine() {
  return setup({
    types: {
      context: {} as ToolCallMachineContext,
      input: {} as ToolCallMachineContext,
      events: {} as ToolCallMachineEvent,
    },
    guards,
  }).createMachine(config);
}
