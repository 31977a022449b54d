// The operative of a voice session: runs the model's tools in parallel with the session, keeps a transcript, and yields
// every event.

import {
  taskNotices,
  taskSupport,
  type BackgroundTaskRegistry,
  type TaskSupport,
} from '../contracts/background-task.ts';
import type { Approve } from '../contracts/engine.ts';
import type { EngineEvent } from '../contracts/events.ts';
import { messageOf, TurnchartError } from '../contracts/errors.ts';
import { defaultHost, type Host } from '../contracts/host.ts';
import type { RealtimeEvent, RealtimeInput, RealtimeSession } from '../contracts/realtime.ts';
import type { Tool, ToolSession } from '../contracts/tool.ts';
import type { ToolCallBlock, ToolResultBlock } from '../conversation/block.ts';
import { createConversation, type Conversation } from '../conversation/conversation.ts';
import { answerOr, whenGiven } from '../services/user-code.ts';
import { checkToolNames } from '../tools/check-tool-names.ts';
import { checkOperativeOptions } from './check-options.ts';
import { EventOutlet } from './event-outlet.ts';
import { LiveSession } from './session.ts';
import { SpokenTranscript } from './spoken-transcript.ts';
import { ToolRuns } from './tool-runs.ts';

/** What happens to a running call when the user speaks. */
export type BargeInPolicy = 'keep' | 'cancel';

/** Options of `createRealtimeOperative`. */
export interface RealtimeOperativeOptions {
  /** Tools in addition to those of the session. Both are shown to the model and run. */
  readonly tools?: readonly Tool[];
  readonly approve?: Approve;
  readonly backgroundTasks?: BackgroundTaskRegistry;
  /** Milliseconds a tool may run. Default: no limit. */
  readonly toolTimeoutMs?: number;
  /** Default 8. */
  readonly maxParallelTools?: number;
  /**
   * `keep` (default): a call goes on while the user speaks, and the model gets its result. `cancel`: its signal is
   * aborted, it has the grace time to end, and the model learns that it was interrupted; a call that still waits never
   * runs.
   */
  readonly onBargeIn?: BargeInPolicy | ((call: ToolCallBlock) => BargeInPolicy);
  /** How long a cancelled call may take to end, in milliseconds. Default 250. */
  readonly cancelGraceMs?: number;
  /**
   * What happens when a background task ends. `speak` (default): the model is informed and speaks about it; `tell`: it
   * is only informed; `off`: it is not informed.
   */
  readonly announceTasks?: 'speak' | 'tell' | 'off';
  /** Called when user code throws and no caller can receive the error. Default: ignored. */
  readonly onListenerError?: (error: unknown) => void;
}

/** Runs tools for a session. Make one with `createRealtimeOperative`. */
export interface RealtimeOperative extends AsyncDisposable {
  /**
   * Starts to run tools, and yields every event of the session and of its tools. The first call gets them from the
   * beginning, each further one from then on. Leaving the loop stops nothing: tools go on until the session is closed.
   * Throws `conversation.busy` if another operative of the same session is running: each call would run twice.
   */
  run(): AsyncIterable<RealtimeEvent>;
  send(input: RealtimeInput): Promise<void>;
  /** Adds a tool, also while the session runs. Throws `tool.duplicateName`, `tool.invalidName` or `tool.invalid`. */
  addTool(tool: Tool): void;
  /** Closes the session. */
  close(): Promise<void>;
  readonly session: RealtimeSession;
  /** What was said, as far as it was heard: one message per item, in the order of the items. */
  readonly conversation: Conversation;
}

/** Adds tools to a session. Throws `tool.duplicateName`, `tool.invalidName`, `tool.invalid` or `options.invalid`. */
export function createRealtimeOperative(
  session: RealtimeSession,
  options: RealtimeOperativeOptions = {},
): RealtimeOperative {
  checkOperativeOptions(options);
  return new VoiceOperative(session, options);
}

const ignore = (): void => undefined;
const outletLimits = { audioBytes: 600_000 * 48, bytesPerMs: 48 };

class VoiceOperative implements RealtimeOperative {
  readonly session: RealtimeSession;
  readonly conversation: Conversation = createConversation();
  readonly #options: RealtimeOperativeOptions;
  readonly #tools = new Map<string, Tool>();
  readonly #tasks: TaskSupport | undefined;
  readonly #outlet: EventOutlet;
  readonly #runs: ToolRuns;
  readonly #transcript = new SpokenTranscript(this.conversation);
  readonly #shown: readonly Tool[];
  // Calls that were open before `run`.
  readonly #early = new Set<string>();
  #isRunning = false;

  constructor(session: RealtimeSession, options: RealtimeOperativeOptions) {
    this.session = session;
    this.#options = options;
    const own = session instanceof LiveSession ? session : undefined;
    this.#outlet = new EventOutlet(() => own?.outputLimits ?? outletLimits);
    this.#shown = own?.tools ?? [];
    this.#tasks = taskSupportOf(options.backgroundTasks);
    this.#add([...this.#shown, ...(options.tools ?? []).filter((tool) => !this.#shown.includes(tool))]);
    const { approve, toolTimeoutMs, maxParallelTools = 8, cancelGraceMs = 250 } = options;
    const host = own?.host ?? defaultHost;
    this.#runs = new ToolRuns({
      tools: this.#tools,
      tasks: this.#tasks,
      host,
      session: this.#toolSession(host),
      conversation: this.conversation,
      approve,
      toolTimeoutMs,
      maxParallelTools,
      cancelGraceMs,
      tell: (event) => this.#tellTool(event),
      settled: (result, wasCancelled) => this.#answer(result, wasCancelled),
      onListenerError: (error) => this.#reportThrown(error),
    });
  }

  run(): AsyncIterable<RealtimeEvent> {
    if (!this.#isRunning) {
      if (steered.has(this.session)) throw alreadySteered();
      steered.add(this.session);
      this.#isRunning = true;
      if (this.#tools.size > this.#shown.length || this.#tasks !== undefined) this.#showTools();
      this.#takeOpenCalls();
      void this.#pump();
    }
    return this.#outlet;
  }

  send(input: RealtimeInput): Promise<void> {
    const sent = this.session.send(input);
    // With manual turns nothing else reports that the user speaks.
    if (input?.type === 'activity.start' && this.session.capabilities.has('manualTurns')) this.#bargeIn();
    return sent;
  }

  addTool(tool: Tool): void {
    this.#add([tool]);
    if (this.#isRunning) this.#showTools();
  }

  close(): Promise<void> {
    return this.session.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #add(tools: readonly Tool[]): void {
    const taken = this.#tasks?.tools ?? [];
    const all = [...this.#tools.values(), ...tools];
    const names = new Set(all.map(({ name }) => name));
    checkToolNames(all);
    for (const tool of [...tools, ...taken.filter(({ name }) => !names.has(name))]) this.#tools.set(tool.name, tool);
  }

  #showTools(): void {
    const tools = [...this.#tools.values()].map((tool) =>
      this.#tasks !== undefined && 'isBackground' in tool ? this.#tasks.publish(tool.definition) : tool.definition,
    );
    this.#tell({ type: 'session.update', tools });
  }

  // Another reader may have received them before this one started.
  #takeOpenCalls(): void {
    if (!(this.session instanceof LiveSession)) return;
    for (const { call, responseId } of this.session.openCalls) {
      this.#early.add(call.id);
      this.#runs.start(call, responseId);
    }
  }

  // Handles each event as it comes, without waiting for tools.
  async #pump(): Promise<void> {
    try {
      for await (const event of this.session.events) {
        this.#outlet.push(event);
        this.#take(event);
      }
    } catch (thrown) {
      this.#outlet.push({ type: 'error', recoverable: false, code: 'session.failed', message: messageOf(thrown) });
    }
    this.#runs.dropAll();
    this.#outlet.end();
  }

  #take(event: RealtimeEvent): void {
    this.#transcript.take(event);
    switch (event.type) {
      case 'toolCall.requested':
        if (!this.#early.delete(event.call.id)) this.#runs.start(event.call, event.responseId);
        return;
      case 'toolCall.cancelled':
        return this.#runs.drop(event.callId);
      case 'speech.started':
        return this.#bargeIn();
      case 'response.interrupted':
        // An interruption by voice was handled at `speech.started`.
        if (event.cause === 'request') this.#bargeIn();
        return;
      case 'session.closed':
        return this.#runs.dropAll();
      default:
    }
  }

  #bargeIn(): void {
    this.#runs.cancel((call) => this.#policyOf(call) === 'cancel');
  }

  #policyOf(call: ToolCallBlock): BargeInPolicy {
    const { onBargeIn = 'keep' } = this.#options;
    if (typeof onBargeIn !== 'function') return onBargeIn;
    return answerOr(
      'keep',
      () => onBargeIn(call),
      'The option "onBargeIn"',
      (thrown) => this.#reportThrown(thrown),
    );
  }

  #answer(result: ToolResultBlock, wasCancelled: boolean): void {
    const respond = wasCancelled ? 'silent' : 'auto';
    this.#tell({ type: 'toolResult.send', callId: result.callId, result, respond });
  }

  // The session's own events report what became of it.
  #tell(input: RealtimeInput): void {
    try {
      this.session.send(input).catch(() => undefined);
    } catch (thrown) {
      this.#reportThrown(thrown);
    }
  }

  #tellTool(event: EngineEvent): void {
    switch (event.type) {
      case 'toolCall.awaitingApproval':
      case 'toolCall.started':
      case 'toolCall.progress':
      case 'toolCall.backgrounded':
      case 'toolCall.settled':
        return this.#outlet.push(event);
      default:
    }
  }

  #toolSession(host: Host): ToolSession {
    const { announceTasks = 'speak' } = this.#options;
    const values = new Map<symbol, unknown>();
    if (this.#tasks !== undefined && announceTasks !== 'off') {
      const respond = announceTasks === 'speak' ? 'auto' : 'never';
      values.set(taskNotices, (text: string) => this.#tell({ type: 'text.send', role: 'system', text, respond }));
    }
    return {
      id: host.createId('session'),
      get<T>(key: symbol, create: () => T): T {
        if (!values.has(key)) values.set(key, create());
        return values.get(key) as T; // what `create` of the same key made
      },
    };
  }

  #reportThrown(thrown: unknown): void {
    const { onListenerError } = this.#options;
    // An error in the error listener is ignored.
    whenGiven(() => onListenerError?.(thrown), ignore, ignore);
  }
}

// Sessions whose tools are run by an operative.
const steered = new WeakSet<RealtimeSession>();

function alreadySteered(): TurnchartError {
  return new TurnchartError(
    'conversation.busy',
    'Another operative runs the tools of this realtime session, and each call would run twice. Add tools to that one with addTool(…), or read session.events.',
  );
}

// The registry carries its own `TaskSupport`.
function taskSupportOf(registry: BackgroundTaskRegistry | undefined): TaskSupport | undefined {
  if (registry === undefined) return undefined;
  const support = (registry as { readonly [taskSupport]?: TaskSupport })[taskSupport];
  if (support !== undefined) return support;
  throw new TurnchartError(
    'options.invalid',
    'The option "backgroundTasks" must be a registry of createBackgroundTasks(). Make one and pass it.',
  );
}
