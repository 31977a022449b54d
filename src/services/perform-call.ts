// Performs one tool call: the toolCall chart decides what comes next; this does it and reports the facts back.

import type { AnyActorRef } from 'xstate';
import { atOnce } from '../contracts/at-once.ts';
import { messageOf, reasonOf } from '../contracts/errors.ts';
import type { Approval } from '../contracts/engine.ts';
import { isBackground } from '../contracts/background-task.ts';
import { callInside, type CallInside } from '../contracts/call-inside.ts';
import type { Tool, ToolContext } from '../contracts/tool.ts';
import type { ToolCallBlock, ToolResultBlock, ToolResultStatus } from '../conversation/block.ts';
import type { JsonValue } from '../conversation/json.ts';
import { isResultStatus } from '../conversation/result-status.ts';
import { noUsage } from '../conversation/usage.ts';
import type { ToolCallMachineEvent } from '../machines/tool-call.ts';
import { callArguments } from '../tools/call-arguments.ts';
import { errorResultText } from '../tools/error-text.ts';
import { readResultContent } from '../tools/read-result-content.ts';
import { toToolResult } from '../tools/result-content.ts';
import { cancelReason } from './call-model.ts';
import {
  refusedResult,
  textResult,
  timedOutResult,
  truncatedResult,
  unknownToolResult,
  unstartedResult,
} from './call-results.ts';
import { longestDelayMs, type TurnSettings } from './settings.ts';
import { answerOr, whenGiven } from './user-code.ts';
import type { TurnRecord } from './turn-record.ts';
import { noteWatch } from './watch.ts';

/** The running chart of one call. */
export interface CallChart {
  send(event: ToolCallMachineEvent): void;
  getSnapshot(): { readonly value: unknown; readonly status: string; readonly error?: unknown };
  /** Set for an inspected call. */
  readonly actor?: AnyActorRef;
}

/** What the owner of a call wants to know. */
export interface CallAudience {
  /** Called exactly once, unless the call is abandoned. */
  settled(result: ToolResultBlock): void;
  /** True when approval is requested, false when it is answered or dropped. */
  approval(isAsked: boolean): void;
  /** Runs the callbacks of promises and timers: what they throw ends the call, or the batch it belongs to. */
  enter(work: () => void): void;
}

/** What a call reads of the turn it belongs to; a voice session has calls but no turns. */
export type CallRecord = Pick<
  TurnRecord,
  'stop' | 'approve' | 'events' | 'message' | 'turnContext' | 'session' | 'conversation' | 'watch' | 'count'
> & {
  readonly settings: Pick<TurnSettings, 'tools' | 'tasks' | 'host' | 'toolTimeoutMs' | 'onListenerError' | 'steps'>;
};

/** A call in progress. */
export class PerformedCall {
  readonly call: ToolCallBlock;
  readonly #record: CallRecord;
  readonly #chart: CallChart;
  readonly #audience: CallAudience;
  readonly #tool: Tool | undefined;
  /** The arguments as the model or the approval gave them, and below as the tool parsed them. */
  #raw: unknown;
  #args: unknown;
  #graceMs: number | undefined;
  #result: ToolResultBlock | undefined;
  #announced: ToolResultBlock | undefined;
  #context: ToolContext | undefined;
  #controller: AbortController | undefined;
  #timer: unknown;
  #startedAt: number | undefined;
  #isAsking = false;
  #isCancelled = false;
  #isOver = false;

  constructor(record: CallRecord, call: ToolCallBlock, chart: CallChart, audience: CallAudience) {
    this.#record = record;
    this.call = call;
    this.#chart = chart;
    this.#audience = audience;
    this.#tool = record.settings.tools.get(call.name);
  }

  /** Its tool was called. */
  get hasStarted(): boolean {
    return this.#startedAt !== undefined;
  }

  /** The result that `toolCall.settled` reported, set before its listeners are called. */
  get announced(): ToolResultBlock | undefined {
    return this.#announced;
  }

  /** Checks the call and goes as far as it can without waiting. */
  start(): void {
    const { stop, settings } = this.#record;
    const runnable = stop !== 'refusal';
    const truncated = stop === 'maxTokens';
    const valid = runnable && !truncated && this.#parse(callArguments(this.call));
    if (!runnable) this.#result = refusedResult(this.call);
    else if (truncated) this.#result = truncatedResult(this.call);
    else if (this.#tool === undefined) this.#result = unknownToolResult(this.call, settings.tools.keys());
    this.#send({
      type: 'call.checked',
      runnable,
      truncated,
      known: this.#tool !== undefined,
      valid,
      asks: valid && this.#mustAsk(),
    });
  }

  /** Ends a call that does not run yet; a running one only learns of it through its signal. */
  cancel(graceMs?: number): void {
    if (this.#isOver || this.#isCancelled) return;
    this.#isCancelled = true;
    this.#graceMs = graceMs;
    this.#send({ type: 'call.cancel' }, unstartedResult(this.call, 'notStarted'));
    this.#controller?.abort(cancelReason);
  }

  /** Interrupts a call that has not settled: the grace time is over, or the tool has obeyed its signal. */
  expire(): void {
    if (!this.#isOver) this.#send({ type: 'call.expire' }, unstartedResult(this.call, 'interrupted'));
  }

  /** Drops the call without a result. */
  abandon(): void {
    this.#isOver = true;
    this.#stopClock();
    this.#controller?.abort(cancelReason);
    try {
      for (const type of ['call.cancel', 'call.expire'] as const) {
        if (this.#chart.getSnapshot().status === 'active') this.#chart.send({ type });
      }
    } catch {
      // A replaced guard threw: the chart stays where it is.
    }
  }

  // The chart's steps run no user code except replaced guards, so its state can be read as soon as `send` returns.
  // Events after the end of the call change nothing.
  #send(event: ToolCallMachineEvent, result?: ToolResultBlock): void {
    if (this.#isOver) return;
    if (result !== undefined) this.#result = result;
    try {
      this.#chart.send(event);
    } catch (thrown) {
      return this.#chartBroke(thrown);
    }
    const { value, status, error } = this.#chart.getSnapshot();
    if (status !== 'active') {
      const end = value === 'backgrounded' ? 'completed' : value;
      // A chart that runs as an actor stops in the state in which it broke.
      if (status === 'done' && isResultStatus(end)) this.#settle(end);
      else this.#chartBroke(error);
    } else if (value === 'approving') this.#ask();
    else if (value === 'running' && event.type !== 'call.cancel') this.#run();
  }

  #chartBroke(thrown: unknown): void {
    const text = `${this.call.name} failed: the chart of its call broke: ${reasonOf(thrown)}.`;
    const effects = this.hasStarted ? ' It may have had effects; check before you repeat it.' : '';
    this.#result = textResult(this.call, 'failed', text + effects);
    this.#settle('failed');
    this.#controller?.abort(cancelReason);
  }

  #parse(raw: unknown): boolean {
    if (this.#tool === undefined) return false;
    this.#raw = raw;
    let fault = 'They are not valid.';
    try {
      const parsed = atOnce(this.#tool.parse(raw), 'It');
      if (parsed?.ok === true) {
        this.#args = parsed.args;
        return true;
      }
      if (typeof parsed?.message === 'string') fault = parsed.message;
    } catch (thrown) {
      fault = `The arguments of ${this.call.name} could not be checked: ${messageOf(thrown)}`;
    }
    this.#result = textResult(this.call, 'invalidArguments', fault);
    return false;
  }

  #mustAsk(): boolean {
    const needs = this.#tool?.needsApproval;
    if (this.#record.approve === undefined || needs === false) return false;
    if (typeof needs !== 'function') return true;
    const who = `needsApproval of the tool "${this.call.name}"`;
    // If the tool cannot say, approval is needed.
    return answerOr(true, () => needs(this.#args), who, this.#record.settings.onListenerError) !== false;
  }

  #ask(): void {
    const isLate = whenGiven(
      () => this.#tool?.preview?.(this.#args, this.#toolContext()),
      (preview) => this.#question(preview === undefined ? {} : { preview: preview as JsonValue }),
      (thrown) => this.#deny(`the preview threw: ${messageOf(thrown)}`),
      this.#audience.enter,
    );
    if (isLate) this.#wait();
  }

  #question(shown: { readonly preview?: JsonValue }): void {
    const { call } = this;
    const { approve, events } = this.#record;
    const tool = this.#tool;
    if (approve === undefined || tool === undefined || this.#isOver) return;
    const isOpen = whenGiven(
      () => approve({ call, tool, args: this.#args, ...shown }, this.#toolContext()),
      (answer) => this.#answered(answer),
      (thrown) => this.#deny(messageOf(thrown)),
      this.#audience.enter,
    );
    if (!isOpen || this.#isOver) return; // over: the approver cancelled the turn, and nobody waits any more
    // Only a question that stays open is worth an event.
    events.push({ type: 'toolCall.awaitingApproval', call, ...shown });
    this.#wait();
  }

  #wait(): void {
    if (this.#isOver || this.#isAsking) return;
    this.#isAsking = true;
    this.#audience.approval(true);
  }

  #answered(answer: unknown): void {
    if (this.#isOver) return; // a late answer is not even read
    const { allow, message, args } = approvalOf(answer);
    if (allow !== true) return this.#deny(message ?? 'no reason was given');
    this.#settleApproval({ type: 'approval.settled', allowed: true, valid: args === undefined || this.#parse(args) });
  }

  #deny(why: string): void {
    const result = textResult(this.call, 'denied', `${this.call.name} was not allowed to run: ${why}`);
    this.#settleApproval({ type: 'approval.settled', allowed: false, valid: true }, result);
  }

  #settleApproval(event: ToolCallMachineEvent, result?: ToolResultBlock): void {
    if (this.#isOver) return;
    this.#dropQuestion();
    this.#send(event, result);
  }

  #dropQuestion(): void {
    if (!this.#isAsking) return;
    this.#isAsking = false;
    this.#audience.approval(false);
  }

  #run(): void {
    this.#startedAt = this.#record.settings.host.now();
    this.#record.events.push({ type: 'toolCall.started', call: this.call });
    if (this.#isOver || this.#wentIntoBackground()) return; // a listener cancelled it, or it continues as a task
    this.#startClock();
    whenGiven(
      () => this.#execute(),
      (value) => this.#returned(value),
      (thrown) => this.#threw(thrown),
      this.#audience.enter,
    );
  }

  // If the model asked for a task and there is a registry, the task's handle is the result.
  #wentIntoBackground(): boolean {
    const { tasks, steps } = this.#record.settings;
    const tool = this.#tool;
    if (tasks === undefined || tool === undefined || !isBackground(tool)) return false;
    let begun: ReturnType<typeof tasks.begin>;
    try {
      const call = { tool, raw: this.#raw, args: this.#args, context: this.#toolContext(), execute: steps.executeTool };
      begun = tasks.begin(call);
    } catch (thrown) {
      this.#threw(thrown);
      return true;
    }
    if (begun === undefined) return false;
    try {
      if (this.#isOver) return true; // cancelled meanwhile
      this.#record.events.push({ type: 'toolCall.backgrounded', call: this.call, taskId: begun.taskId });
      const handle = textResult(this.call, 'completed', begun.handle);
      this.#send({ type: 'tool.settled', isError: false, backgrounded: true }, handle);
    } finally {
      if (this.#announced?.status !== 'completed') begun.stop(); // nobody will ever know the task
    }
    return true;
  }

  #execute(): unknown {
    const tool = this.#tool;
    const { executeTool } = this.#record.settings.steps;
    const context = this.#toolContext();
    return executeTool === undefined || tool === undefined
      ? tool?.execute(this.#args, context)
      : executeTool(tool, this.#args, context);
  }

  #returned(value: unknown): void {
    if (this.#isOver) return;
    const { content, isError } = toToolResult(value);
    const status = isError ? 'failed' : 'completed';
    const result: ToolResultBlock = { type: 'toolResult', callId: this.call.id, status, content };
    this.#send({ type: 'tool.settled', isError, backgrounded: false }, result);
  }

  #threw(thrown: unknown): void {
    if (this.#isOver) return;
    if (this.#isCancelled && isAbort(thrown)) return this.expire(); // it stopped, and did not say how far it got
    const result = textResult(this.call, 'failed', errorResultText(thrown));
    this.#send({ type: 'tool.settled', isError: true, backgrounded: false }, result);
  }

  #startClock(): void {
    const ms = this.#limit();
    if (typeof ms !== 'number' || !(ms <= longestDelayMs)) return; // longer than a timer can wait
    const { host } = this.#record.settings;
    this.#timer = host.setTimeout(() => this.#audience.enter(() => this.#timedOut(ms)), ms);
  }

  #timedOut(ms: number): void {
    this.#timer = undefined;
    this.#send({ type: 'call.timedOut' }, timedOutResult(this.call, ms));
    this.#controller?.abort(new DOMException(`The tool took longer than ${ms} ms.`, 'TimeoutError'));
  }

  #limit(): number | undefined {
    const { steps, toolTimeoutMs, onListenerError } = this.#record.settings;
    const tool = this.#tool;
    const usual = tool?.timeoutMs ?? toolTimeoutMs;
    if (steps.timeoutFor === undefined || tool === undefined) return usual;
    const who = 'The step "timeoutFor"';
    const ask = (): number | undefined => {
      const ms: unknown = atOnce(steps.timeoutFor?.(this.call, tool), who);
      if (ms === undefined || typeof ms === 'number') return ms;
      throw new TypeError(`${who} must return a number of milliseconds or undefined, and returned a ${typeof ms}.`);
    };
    return answerOr(usual, ask, who, onListenerError);
  }

  #stopClock(): void {
    if (this.#timer !== undefined) this.#record.settings.host.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #settle(status: ToolResultStatus): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopClock();
    this.#dropQuestion();
    const { host } = this.#record.settings;
    const plain = this.#result ?? textResult(this.call, status, `${this.call.name}: ${status}`);
    const result = this.#format(plain.status === status ? plain : { ...plain, status });
    // A clock may be set back meanwhile.
    const durationMs = this.#startedAt === undefined ? 0 : Math.max(0, host.now() - this.#startedAt);
    this.#announced = result;
    this.#record.events.push({ type: 'toolCall.settled', call: this.call, result, durationMs });
    this.#audience.settled(result);
  }

  // A step that throws or returns something else must not cost the result.
  #format(result: ToolResultBlock): ToolResultBlock {
    const { steps, onListenerError } = this.#record.settings;
    if (steps.formatToolResult === undefined) return result;
    const who = 'The step "formatToolResult"';
    const format = (): ToolResultBlock => {
      const formatted = atOnce(steps.formatToolResult?.(this.call, result), who);
      if (formatted?.type === 'toolResult' && Array.isArray(formatted.content)) {
        // The step chooses only the content that the model reads.
        return { ...result, content: readResultContent(formatted.content) };
      }
      throw new TypeError(`${who} must return a tool result block.`);
    };
    return answerOr(result, format, who, onListenerError);
  }

  // Own getters, so that a context copied with a spread still has its signal.
  #toolContext(): ToolContext {
    if (this.#context !== undefined) return this.#context;
    const signal = (): AbortSignal => {
      if (this.#controller === undefined) {
        this.#controller = new AbortController();
        if (this.#isCancelled || this.#isOver) this.#controller.abort(cancelReason);
      }
      return this.#controller.signal;
    };
    const record = this.#record;
    const call = this.call;
    this.#context = {
      callId: call.id,
      idempotencyKey: `${record.message?.id ?? ''}/${call.id}`,
      get signal() {
        return signal();
      },
      turnContext: record.turnContext,
      session: record.session,
      conversation: record.conversation,
      progress: (update) => {
        if (!this.#isOver && this.#startedAt !== undefined) {
          record.events.push({ type: 'toolCall.progress', callId: call.id, update });
        }
      },
    };
    if (this.#tool !== undefined && isBackground(this.#tool)) {
      Object.assign(this.#context, { [callInside]: this.#inside() });
    }
    const { actor: parent } = this.#chart;
    if (parent !== undefined) noteWatch(this.#context, { parent, show: record.watch?.show });
    return this.#context;
  }

  #inside(): CallInside {
    const record = this.#record;
    const graceMs = () => this.#graceMs;
    return {
      host: record.settings.host,
      approve: record.approve,
      get graceMs() {
        return graceMs();
      },
      countSubagent: (usage) => record.count({ ...noUsage, subagents: [usage] }),
    };
  }
}

// What code that obeys its signal throws.
function isAbort(thrown: unknown): boolean {
  try {
    return (thrown as Partial<Error> | null | undefined)?.name === 'AbortError'; // anything may be thrown
  } catch {
    return false; // a hostile proxy
  }
}

// The fields of an answer; one that cannot be read is not a yes.
function approvalOf(answer: unknown): { readonly allow?: unknown; readonly message?: string; readonly args?: unknown } {
  try {
    if (typeof answer !== 'object' || answer === null) return {};
    const { allow, message, args } = answer as Partial<Record<keyof Approval | 'message' | 'args', unknown>>;
    return { allow, args, ...(typeof message === 'string' ? { message } : {}) };
  } catch (thrown) {
    return { message: messageOf(thrown) };
  }
}
