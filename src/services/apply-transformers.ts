// The service of the four transformer stages: runs the transformers in order and applies their rewrites and views.
// Before an iteration, and in a compaction, a transformer returns a view: it changes what the model sees, and may
// append messages. At the other stages it returns a rewrite, or changes the transcript in place: both replace the
// transcript. A rewrite is rebased: messages that were appended since the transformer was called (`#found` marks the
// transcript at that moment) are put after it. A result that breaks the pairing of calls and results, or that cannot be
// stored, is refused: the previous value stays.

import { reasonOf, TurnchartError } from '../contracts/errors.ts';
import type { Rewrite, Stage, Transformer, TransformerContext, View } from '../contracts/transformer.ts';
import type { Block } from '../conversation/block.ts';
import { openCalls, type Conversation } from '../conversation/conversation.ts';
import { measureOf } from '../conversation/measure.ts';
import type { Message } from '../conversation/message.ts';
import { messageFault, pairingFault, quote } from '../conversation/pairing.ts';
import { repair } from '../conversation/repair.ts';
import { storeFault } from '../conversation/store-fault.ts';
import { tokensOf } from '../conversation/tally.ts';
import { calibrationOf, overheadTokens } from '../conversation/tokens.ts';
import { serviceLogic, type ServiceLogic } from '../machines/service.ts';
import type { TurnFacts, TurnScope } from '../machines/turn.ts';
import { cancelReason } from './call-model.ts';
import { SideCalls } from './complete-call.ts';
import { isThenable } from '../contracts/at-once.ts';
import { putContents, replaceContents, tellTogether } from './transcript.ts';
import { recordOf, type TurnRecord } from './turn-record.ts';

/** Runs one stage. A transformer that throws or breaks the pairing is reported, and its result is not used. */
export const applyTransformers: ServiceLogic<{ readonly scope: TurnScope; readonly stage: Stage }, TurnFacts> =
  serviceLogic(
    ({ scope, stage }, actor) => {
      const record = recordOf(scope);
      const settle = (): void => {
        if (stage === 'afterIteration') record.calls = openCalls(record.conversation);
        actor.settle(record.facts('settled'));
      };
      const fail = (thrown: unknown): void => actor.fail(thrown);
      const run = new StageRun(record, stage, record.settings.transformers[stage], { settle, fail });
      run.go();
      return () => run.abandon();
    },
    { id: 'applyTransformers', description: 'Runs the transformers of one stage.' },
  );

/** Has a transformer compact the transcript. `done` is called at most once, and never after the returned function. */
export function runCompaction(
  record: TurnRecord,
  compactor: Transformer,
  instructions: string | undefined,
  done: () => void,
): () => void {
  const run = new StageRun(record, 'compact', [compactor], { settle: done, fail: done }, instructions);
  run.go();
  return () => run.abandon();
}

// The common signature of all stage functions; only `compact` gets `instructions`.
type Call = (input: Conversation, context: TransformerContext, instructions?: string) => unknown;

// How a stage ends: `fail` if something other than a transformer threw, such as a frozen transcript.
interface StageEnd {
  settle(): void;
  fail(thrown: unknown): void;
}

class StageRun {
  readonly #record: TurnRecord;
  readonly #stage: Stage | 'compact';
  readonly #transformers: readonly Transformer[];
  readonly #end: StageEnd;
  readonly #instructions: string | undefined;
  #calls: SideCalls | undefined;
  #controller: AbortController | undefined;
  #context: TransformerContext | undefined;
  /** The transformer that was called last. */
  #current: Transformer | undefined;
  #next = 0;
  /** The transcript when the transformer was called. */
  #found: Mark;
  #isOver = false;

  constructor(
    record: TurnRecord,
    stage: Stage | 'compact',
    transformers: readonly Transformer[],
    end: StageEnd,
    instructions?: string,
  ) {
    this.#record = record;
    this.#stage = stage;
    this.#transformers = transformers;
    this.#end = end;
    this.#instructions = instructions;
    this.#found = markOf(record.conversation);
  }

  /** Runs the remaining transformers, up to one that returns a promise: the stage continues when that settles. */
  go(): void {
    while (!this.#isOver) {
      const transformer = this.#transformers[this.#next++];
      if (transformer === undefined) {
        this.#isOver = true;
        this.#calls?.abandon(); // what a transformer did not wait for must not outlive its stage
        return this.#end.settle();
      }
      this.#current = transformer;
      const { view, conversation } = this.#record;
      // Before an iteration each transformer sees the view of the one before it; else all see the transcript.
      const isViewed = view !== undefined && this.#stage === 'beforeIteration';
      const input = isViewed ? { system: view.system, messages: [...view.messages] } : conversation;
      const context = (this.#context ??= this.#newContext());
      const call = () =>
        (transformer as { readonly [stage in Stage | 'compact']?: Call })[this.#stage]?.(
          input,
          context,
          this.#instructions,
        );
      if (this.#take(transformer, input, call)) return;
    }
  }

  abandon(): void {
    this.#isOver = true;
    this.#controller?.abort(cancelReason);
    this.#calls?.abandon();
  }

  // Applies a transformer's result. True if that is a promise: the stage then continues once it settles.
  #take(transformer: Transformer, input: Conversation, read: () => unknown): boolean {
    try {
      const given = read();
      if (this.#isOver) return false; // it cancelled its own turn: its result is too late
      if (isThenable(given)) {
        const goOn = (readSettled: () => unknown): void => {
          if (this.#isOver) return;
          try {
            this.#take(transformer, input, readSettled);
            this.#lookAgain();
            this.go();
          } catch (thrown) {
            this.abandon();
            this.#end.fail(thrown); // nothing else would report a throw in a promise's callback
          }
        };
        // Promise.resolve guards against thenables that call back synchronously or twice.
        Promise.resolve(given).then(
          (value) => goOn(() => value),
          (thrown) =>
            goOn(() => {
              throw thrown;
            }),
        );
        return true;
      }
      const isInPlace = this.#isChanged();
      if ((given ?? undefined) === undefined && !isInPlace) return false; // nearly always
      tellTogether(this.#record.events, () => this.#use(transformer, given ?? {}, input, isInPlace));
    } catch (thrown) {
      if (!this.#isOver) this.#refuse(transformer, thrown);
    }
    this.#lookAgain();
    return false;
  }

  // The next transformer's context is made from what is there now.
  #lookAgain(): void {
    this.#found = markOf(this.#record.conversation);
    this.#context = undefined;
  }

  // One context for all transformers, until one of them changes something.
  #newContext(): TransformerContext {
    const record = this.#record;
    const { conversation, settings } = record;
    const ratio = calibrationOf(conversation);
    const signal = (): AbortSignal => {
      if (this.#controller === undefined) {
        this.#controller = new AbortController();
        if (this.#isOver) this.#controller.abort(cancelReason);
      }
      return this.#controller.signal;
    };
    let overhead: number | undefined;
    return {
      stage: this.#shownStage,
      iteration: record.iteration,
      turnContext: record.turnContext,
      model: record.model,
      transcript: conversation,
      get signal() {
        return signal();
      },
      ...(record.lastUsage === undefined ? {} : { lastUsage: record.lastUsage }),
      overflow: record.isReshaped,
      estimateTokens: (of) => Math.ceil(tokensOf(of) * ratio),
      get overheadTokens() {
        overhead ??= Math.ceil((overheadTokens(conversation.system) + overheadTokens(settings.definitions)) * ratio);
        return overhead;
      },
      reportFailure: (error) => {
        if (!this.#isOver && this.#current !== undefined) this.#refuse(this.#current, error, '');
      },
      complete: (request, options) => {
        this.#calls ??= new SideCalls();
        if (this.#isOver) this.#calls.abandon();
        return this.#calls.complete(record, request, options?.model);
      },
    };
  }

  // A transformer's `compact` is called between turns, and its context says `beforeTurn`; a failure is reported as `compact`.
  get #shownStage(): Stage {
    return this.#stage === 'compact' ? 'beforeTurn' : this.#stage;
  }

  #use(transformer: Transformer, given: Rewrite | View, input: Conversation, isInPlace: boolean): void {
    const record = this.#record;
    if (typeof given !== 'object') {
      throw new TypeError(`expected an object or nothing, got ${typeof given}`);
    }
    const isView = this.#stage === 'beforeIteration' || this.#stage === 'compact';
    if (isView && isInPlace) {
      throw new TypeError('it changed the transcript itself; before an iteration only a returned view counts');
    }
    const before = isView ? input.messages.length : this.#found.length;
    const changed = isView
      ? this.#takeView(given as View, input)
      : this.#takeRewrite(transformer, given as Rewrite, isInPlace);
    const turnContext = given.turnContext;
    if (turnContext !== undefined && turnContext !== null) record.turnContext = turnContext;
    else if (!changed) return;
    record.events.push({
      type: 'transformer.applied',
      name: transformer.name,
      stage: this.#shownStage,
      iteration: record.iteration,
      messagesBefore: before,
      messagesAfter: (record.view ?? record.conversation).messages.length,
    });
  }

  #takeRewrite(transformer: Transformer, given: Rewrite, isInPlace: boolean): boolean {
    const record = this.#record;
    const conversation = given.conversation ?? (isInPlace ? record.conversation : undefined);
    if (conversation === undefined) return false;
    const { messages, system } = conversation;
    const later = conversation === record.conversation ? [] : record.conversation.messages.slice(this.#found.length);
    // An array the transformer keeps must not become the transcript, and a fault must show before anything changes.
    const next = Array.isArray(messages) && later.length > 0 ? [...messages, ...later] : messages;
    checkSystem(system);
    checkStorable(this.#newSystem(system));
    const fault = pairingFault(next, { openTail: this.#stage === 'afterIteration' });
    if (fault !== undefined) throw new BrokenPairs(fault);
    checkStorable(this.#newIn(next));
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
    checkStorable(more);
    const isTranscript = shown === undefined && record.view === undefined;
    for (const message of more) record.append(message);
    record.view = {
      system: system ?? input.system,
      messages: isTranscript ? record.conversation.messages : [...(shown ?? input.messages), ...more],
    };
    return true;
  }

  // After a change in place there is no previous value to fall back to: what cannot stay is repaired.
  #mend(): void {
    const { conversation } = this.#record;
    if (!Array.isArray(conversation.messages)) conversation.messages = this.#found.messages;
    if (unstorable(this.#newSystem(conversation.system)) !== undefined) conversation.system = this.#found.system;
    const unfit = new Set(this.#newIn(conversation.messages).filter((message) => storeFault(message) !== undefined));
    const messages = conversation.messages.filter(
      (message) => messageFault(message) === undefined && !unfit.has(message),
    );
    // The calls of an answer are still to run: no repair may answer them, or lose the answer.
    const tail =
      this.#stage === 'afterIteration' && this.#found.last?.role === 'assistant' ? this.#found.last : undefined;
    const isWhole = messages.length === conversation.messages.length && (tail ?? messages.at(-1)) === messages.at(-1);
    if (!isWhole || pairingFault(messages, { openTail: tail !== undefined }) !== undefined) {
      const before = messages.filter(({ id }) => id !== tail?.id);
      const whole = repair({ ...conversation, messages: before }).conversation;
      putContents(conversation, tail === undefined ? whole : { ...whole, messages: [...whole.messages, tail] });
    } else if (!this.#isChanged()) return;
    this.#record.events.push({ type: 'transcript.replaced', by: 'repair', messages: conversation.messages.length });
  }

  // As far as can be seen without reading the history again. During a compaction no turn owns the transcript: a claim
  // that is given up may append its messages.
  #isChanged(): boolean {
    const { messages } = this.#record.conversation;
    const { messages: before, length, last } = this.#found;
    if (messages !== before || messages[length - 1] !== last) return true;
    return messages.length < length || (messages.length > length && this.#stage !== 'compact');
  }

  // The messages that were not in the transcript when the transformer was called. After a change in place: as far as
  // can be seen without remembering the whole transcript.
  #newIn(messages: readonly Message[]): readonly Message[] {
    const { messages: before, length, last } = this.#found;
    if (messages === before) return messages.slice(Math.max(0, length - 1)).filter((message) => message !== last);
    const { messages: now } = this.#record.conversation;
    const known = new Set(now === before || now === messages ? before : [...before, ...now]);
    return messages.filter((message) => !known.has(message));
  }

  // A changed system, as if it were a message.
  #newSystem(system: readonly Block[]): readonly Message[] {
    return system === this.#found.system ? [] : [{ id: 'system', role: 'user', content: system }];
  }

  #refuse(
    transformer: Transformer,
    thrown: unknown,
    end = this.#stage === 'compact' ? nothingGained : nothingUsed,
  ): void {
    const isBreach = thrown instanceof BrokenPairs;
    const who = `The transformer "${transformer.name}" (${this.#stage})`;
    const error = isBreach
      ? new TurnchartError(
          'transformer.brokenPairs',
          `${who} returned messages that no provider accepts: ${thrown.message}.${end}`,
        )
      : new TurnchartError('transformer.failed', `${who} failed: ${reasonOf(thrown)}.${end}`, { cause: thrown });
    const { events } = this.#record;
    tellTogether(events, () => {
      // One that only reports a failure goes on, and may be in the middle of a change.
      if (end !== '' && (isBreach || this.#isChanged())) this.#mend();
      events.push({ type: 'transformer.failed', name: transformer.name, stage: this.#stage, error });
    });
  }
}

interface Mark {
  readonly messages: Message[];
  readonly length: number;
  readonly last: Message | undefined;
  readonly system: readonly Block[];
}

function markOf({ messages, system }: Conversation): Mark {
  return { messages, length: messages.length, last: messages.at(-1), system };
}

const nothingUsed = ' Its result is not used.';
const nothingGained = ' Nothing was compacted.';

class BrokenPairs extends Error {}

function checkPairs(messages: readonly Message[]): void {
  const fault = pairingFault(messages, { remembers: true });
  if (fault !== undefined) throw new BrokenPairs(fault);
}

function checkAppended(more: readonly Message[], transcript: readonly Message[]): void {
  checkPairs(more);
  const ids = new Set(more.map((message) => message.id));
  const known = transcript.find((message) => ids.has(measureOf(message).id));
  if (known !== undefined)
    throw new BrokenPairs(`"append" holds message ${known.id}, which is in the transcript already`);
}

function checkSystem(system: unknown): void {
  if (Array.isArray(system) && system.every((block) => typeof block?.type === 'string')) return;
  throw new TypeError('"system" must be an array of blocks');
}

// One transformer's message must not make the whole transcript impossible to store later.
function checkStorable(messages: readonly Message[]): void {
  const found = unstorable(messages);
  if (found !== undefined) throw new TypeError(`${quote(found.id)} could not be stored: ${storeFault(found) ?? ''}`);
}

function unstorable(messages: readonly Message[]): Message | undefined {
  return messages.find((message) => storeFault(message) !== undefined);
}
