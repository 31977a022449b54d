// Runs the calls of a voice session in parallel with it: the receiving loop never waits for them. Called by the
// operative.

import type { TaskSupport } from '../contracts/background-task.ts';
import type { Approve } from '../contracts/engine.ts';
import type { EngineEvent } from '../contracts/events.ts';
import type { Host } from '../contracts/host.ts';
import type { Tool, ToolSession } from '../contracts/tool.ts';
import type { ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { chartRuns } from '../machines/chart-logic.ts';
import { toolCallChart, type ToolCallMachineEvent } from '../machines/tool-call.ts';
import { textResult } from '../services/call-results.ts';
import { PerformedCall, type CallRecord } from '../services/perform-call.ts';
import { callArguments } from '../tools/call-arguments.ts';
import { errorResultText } from '../tools/error-text.ts';

/** What every call of a session shares. */
export interface ToolRunParts {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly tasks: TaskSupport | undefined;
  readonly host: Host;
  readonly session: ToolSession;
  readonly conversation: Conversation;
  readonly approve: Approve | undefined;
  readonly toolTimeoutMs: number | undefined;
  readonly maxParallelTools: number;
  readonly cancelGraceMs: number;
  readonly tell: (event: EngineEvent) => void;
  /** `wasCancelled`: the user has spoken meanwhile and does not wait for it. */
  readonly settled: (result: ToolResultBlock, wasCancelled: boolean) => void;
  readonly onListenerError: (error: unknown) => void;
}

interface Run {
  readonly performed: PerformedCall;
  /** Runs a callback of a promise or a timer: an error ends this call and nothing else. */
  readonly enter: (work: () => void) => void;
  readonly isSafe: boolean;
  wasCancelled: boolean;
  grace: unknown;
}

interface Waiting {
  readonly call: ToolCallBlock;
  readonly responseId: string;
}

const startToolCall = /* @__PURE__ */ chartRuns<ToolCallMachineEvent>(toolCallChart);

/** The running and the waiting calls. Concurrency-safe calls run in parallel, all others alone, in call order. */
export class ToolRuns {
  readonly #parts: ToolRunParts;
  readonly #running = new Map<string, Run>();
  #waiting: Waiting[] = [];
  #isGoing = false;

  constructor(parts: ToolRunParts) {
    this.#parts = parts;
  }

  start(call: ToolCallBlock, responseId: string): void {
    this.#waiting.push({ call, responseId });
    this.#go();
  }

  /**
   * The user spoke: of these calls, running ones have the grace time to return what they have; waiting ones never run.
   */
  cancel(isMeant: (call: ToolCallBlock) => boolean): void {
    const { host, cancelGraceMs } = this.#parts;
    // Waiting calls first: the end of a running call would start the next.
    const waiting = this.#waiting;
    const meant = new Set(waiting.filter(({ call }) => isMeant(call)));
    this.#waiting = waiting.filter((one) => !meant.has(one));
    for (const one of meant) this.#perform(one, true);
    for (const run of this.#running.values()) {
      if (run.wasCancelled || !isMeant(run.performed.call)) continue;
      run.wasCancelled = true;
      run.enter(() => run.performed.cancel(cancelGraceMs));
      if (this.#running.has(run.performed.call.id)) {
        run.grace = host.setTimeout(() => run.enter(() => run.performed.expire()), cancelGraceMs);
      }
    }
    this.#go();
  }

  /** The provider withdrew a call: its result must not be sent. */
  drop(callId: string): void {
    this.#waiting = this.#waiting.filter(({ call }) => call.id !== callId);
    const run = this.#running.get(callId);
    if (run === undefined) return;
    this.#end(callId, run);
    run.performed.abandon();
    this.#go();
  }

  /** The session is over. */
  dropAll(): void {
    this.#waiting = [];
    for (const callId of [...this.#running.keys()]) this.drop(callId);
  }

  // A call that settles at once comes back here while the loop runs: the loop goes on with it.
  #go(): void {
    if (this.#isGoing) return;
    this.#isGoing = true;
    for (let next = this.#waiting[0]; next !== undefined && this.#mayStart(next.call); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#perform(next);
    }
    this.#isGoing = false;
  }

  #mayStart(call: ToolCallBlock): boolean {
    if (this.#running.size === 0) return true;
    if (this.#running.size >= this.#parts.maxParallelTools) return false;
    return this.#isSafe(call) && [...this.#running.values()].every(({ isSafe }) => isSafe);
  }

  // A call to an unknown tool never runs, so it does not block others.
  #isSafe(call: ToolCallBlock): boolean {
    const tool = this.#parts.tools.get(call.name);
    if (tool === undefined) return true;
    if (typeof tool.isConcurrencySafe !== 'function') return tool.isConcurrencySafe;
    try {
      const parsed = tool.parse(callArguments(call));
      return parsed.ok && tool.isConcurrencySafe(parsed.args);
    } catch {
      return false;
    }
  }

  #perform({ call, responseId }: Waiting, wasCancelled = false): void {
    const settled = (result: ToolResultBlock): void => {
      this.#end(call.id, run);
      this.#parts.settled(result, run.wasCancelled);
      this.#go();
    };
    const enter: Run['enter'] = (work) => {
      try {
        work();
      } catch (thrown) {
        if (this.#running.get(call.id) !== run) return this.#parts.onListenerError(thrown);
        performed.abandon();
        const result = textResult(call, 'failed', errorResultText(thrown));
        this.#parts.tell({ type: 'toolCall.settled', call, result, durationMs: 0 });
        settled(result);
      }
    };
    const performed = new PerformedCall(this.#recordFor(call, responseId), call, startToolCall(), {
      settled,
      approval: () => undefined, // its event reports it
      enter,
    });
    const run: Run = { performed, enter, isSafe: this.#isSafe(call), wasCancelled, grace: undefined };
    this.#running.set(call.id, run);
    enter(() => (wasCancelled ? performed.cancel() : performed.start()));
  }

  #end(callId: string, run: Run): void {
    this.#running.delete(callId);
    if (run.grace !== undefined) this.#parts.host.clearTimeout(run.grace);
  }

  #recordFor(call: ToolCallBlock, responseId: string): CallRecord {
    const { tools, tasks, host, session, conversation, approve, toolTimeoutMs, tell, onListenerError } = this.#parts;
    return {
      settings: { tools, tasks, host, toolTimeoutMs, onListenerError, steps: {} },
      stop: 'toolUse',
      approve,
      events: { push: tell },
      message: { id: responseId, role: 'assistant', content: [call] },
      turnContext: undefined,
      session,
      conversation,
      watch: undefined,
      count: () => undefined,
    };
  }
}
