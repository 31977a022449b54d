// The service of the four transformer stages: runs them in order and puts their rewrites and views in place.

import { messageOf, TurnchartError } from '../contracts/errors.ts';
import type { Rewrite, Stage, Transformer, TransformerContext, View } from '../contracts/transformer.ts';
import { openCalls, type Conversation } from '../conversation/conversation.ts';
import type { Message } from '../conversation/message.ts';
import { pairingFault } from '../conversation/pairing.ts';
import { repair } from '../conversation/repair.ts';
import { estimateTokens } from '../conversation/tokens.ts';
import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import type { TurnFacts, TurnScope } from '../machines/turn.ts';
import { cancelReason } from './call-model.ts';
import { SideCalls } from './complete-call.ts';
import { isThenable } from './thenable.ts';
import { putContents, replaceContents, tellTogether } from './transcript.ts';
import { recordOf, type TurnRecord } from './turn-record.ts';

type Outcome = Rewrite | View | void | null;

/** Runs one stage. A transformer that throws or breaks the pairing is reported and what it gave is not used. */
export const applyTransformers: ServiceLogic<{ readonly scope: TurnScope; readonly stage: Stage }, TurnFacts> =
  serviceLogic(({ scope, stage }, actor) => {
    const run = new StageRun(recordOf(scope), stage, () => actor.settle(run.facts()));
    run.go();
    return () => run.abandon();
  });

class StageRun {
  readonly #record: TurnRecord;
  readonly #stage: Stage;
  readonly #transformers: readonly Transformer[];
  readonly #settle: () => void;
  readonly #calls = new SideCalls();
  #controller: AbortController | undefined;
  #next = 0;
  #isOver = false;

  constructor(record: TurnRecord, stage: Stage, settle: () => void) {
    this.#record = record;
    this.#stage = stage;
    this.#transformers = record.settings.transformers[stage];
    this.#settle = settle;
  }

  /** Goes on with the next transformer; as long as they return at once, so does the whole stage. */
  go(): void {
    for (;;) {
      const transformer = this.#transformers[this.#next++];
      if (transformer === undefined) break;
      const input = this.#input();
      const base = this.#record.conversation.messages.length;
      try {
        const given: unknown = this.#call(transformer, input);
        if (this.#isOver) return; // it cancelled its own turn: what it gave comes too late
        if (isThenable(given)) {
          // Promise.resolve tames thenables that call back at once or twice.
          Promise.resolve(given).then(
            (value) => this.#resume(() => this.#take(transformer, value as Outcome, input, base), transformer),
            (thrown) => this.#resume(() => this.#refuse(transformer, thrown), transformer),
          );
          return;
        }
        this.#take(transformer, given as Outcome, input, base);
      } catch (thrown) {
        if (this.#isOver) return;
        this.#refuse(transformer, thrown);
      }
      if (this.#isOver) return;
    }
    this.#isOver = true;
    this.#calls.abandon(); // what a transformer did not wait for must not outlive its stage
    this.#settle();
  }

  abandon(): void {
    this.#isOver = true;
    this.#controller?.abort(cancelReason);
    this.#calls.abandon();
  }

  facts(): TurnFacts {
    const record = this.#record;
    if (this.#stage === 'afterIteration') record.calls = openCalls(record.conversation);
    return record.facts('settled');
  }

  // A transformer settled later: its result counts unless the stage was left meanwhile.
  #resume(take: () => void, transformer: Transformer): void {
    if (this.#isOver) return;
    try {
      take();
    } catch (thrown) {
      this.#refuse(transformer, thrown);
    }
    if (!this.#isOver) this.go();
  }

  // Before an iteration each transformer sees the view of the one before it; else all see the transcript.
  #input(): Conversation {
    const { view, conversation } = this.#record;
    if (this.#stage !== 'beforeIteration' || view === undefined) return conversation;
    return { system: view.system, messages: [...view.messages] };
  }

  #call(transformer: Transformer, input: Conversation): unknown {
    return transformer[this.#stage]?.(input, this.#context());
  }

  #context(): TransformerContext {
    const record = this.#record;
    const signal = () => (this.#controller ??= this.#newController()).signal;
    return {
      stage: this.#stage,
      iteration: this.#stage === 'beforeTurn' ? 0 : record.iteration,
      turnContext: record.turnContext,
      model: record.model,
      get signal() {
        return signal();
      },
      ...(record.lastUsage === undefined ? {} : { lastUsage: record.lastUsage }),
      overflow: record.isReshaped,
      estimateTokens,
      complete: (request, options) => this.#calls.complete(record, request, options?.model),
    };
  }

  #newController(): AbortController {
    const controller = new AbortController();
    if (this.#isOver) controller.abort(cancelReason);
    return controller;
  }

  #take(transformer: Transformer, given: Outcome, input: Conversation, base: number): void {
    tellTogether(this.#record.events, () => this.#use(transformer, given, input, base));
  }

  #use(transformer: Transformer, given: Outcome, input: Conversation, base: number): void {
    if (given === undefined || given === null) return;
    if (typeof given !== 'object') {
      throw new TypeError(`expected an object or nothing, got ${typeof given}`);
    }
    const record = this.#record;
    const before = input.messages.length;
    const changed =
      this.#stage === 'beforeIteration'
        ? this.#takeView(given as View, input)
        : this.#takeRewrite(transformer, given as Rewrite, base);
    const turnContext = given.turnContext;
    if (turnContext !== undefined && turnContext !== null) record.turnContext = turnContext;
    else if (!changed) return;
    record.events.push({
      type: 'transformer.applied',
      name: transformer.name,
      stage: this.#stage,
      iteration: this.#stage === 'beforeTurn' ? 0 : record.iteration,
      messagesBefore: before,
      messagesAfter: (record.view ?? record.conversation).messages.length,
    });
  }

  #takeRewrite(transformer: Transformer, { conversation }: Rewrite, base: number): boolean {
    const record = this.#record;
    if (conversation === undefined || conversation === null) return false;
    const { messages, system } = conversation;
    const later = conversation === record.conversation ? [] : record.conversation.messages.slice(base);
    // An array the transformer keeps must not become the transcript, and a fault must show before anything changes.
    const next = Array.isArray(messages) && later.length > 0 ? [...messages, ...later] : messages;
    checkSystem(system);
    const fault = pairingFault(next, { openTail: this.#stage === 'afterIteration' });
    if (fault !== undefined) {
      // Changed in place, so there is no previous value left to stand.
      if (conversation === record.conversation) putContents(conversation, repair(conversation).conversation);
      throw new BrokenPairs(fault);
    }
    replaceContents(record.conversation, { system, messages: next }, transformer.name, record.events);
    return true;
  }

  #takeView({ messages, system, append }: View, input: Conversation): boolean {
    const record = this.#record;
    const shown = messages ?? undefined;
    const more = append ?? [];
    if (shown === undefined && (system ?? undefined) === undefined && more.length === 0) return false;
    if (system !== undefined && system !== null) checkSystem(system);
    if (shown !== undefined) checkPairs(shown);
    if (more.length > 0) checkAppended(more, record.conversation.messages);
    const isTranscript = shown === undefined && record.view === undefined;
    for (const message of more) record.append(message);
    record.view = {
      system: system ?? input.system,
      messages: isTranscript ? record.conversation.messages : [...(shown ?? input.messages), ...more],
    };
    return true;
  }

  #refuse(transformer: Transformer, thrown: unknown): void {
    const error =
      thrown instanceof BrokenPairs
        ? new TurnchartError(
            'transformer.brokenPairs',
            `The transformer "${transformer.name}" (${this.#stage}) returned messages that no provider accepts: ${thrown.message}. What it returned is not used.`,
          )
        : new TurnchartError(
            'transformer.failed',
            `The transformer "${transformer.name}" (${this.#stage}) failed: ${messageOf(thrown)}. The turn goes on without it.`,
            { cause: thrown },
          );
    this.#record.events.push({ type: 'transformer.failed', name: transformer.name, stage: this.#stage, error });
  }
}

class BrokenPairs extends Error {}

function checkPairs(messages: readonly Message[]): void {
  const fault = pairingFault(messages);
  if (fault !== undefined) throw new BrokenPairs(fault);
}

function checkAppended(more: readonly Message[], transcript: readonly Message[]): void {
  checkPairs(more);
  const ids = new Set(more.map((message) => message.id));
  const known = transcript.find((message) => ids.has(message.id));
  if (known !== undefined)
    throw new BrokenPairs(`"append" holds message ${known.id}, which is in the transcript already`);
}

function checkSystem(system: unknown): void {
  if (Array.isArray(system) && system.every((block) => typeof block?.type === 'string')) return;
  throw new TypeError('"system" must be an array of blocks');
}
