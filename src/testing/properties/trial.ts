// Runs a transformer, or several in order, on one conversation as the runtime does. Called by the laws.

import type { Completion, Model, StopReason } from '../../contracts/model.ts';
import type { Alteration, Rewrite, Stage, Transformer, TransformerContext, View } from '../../contracts/transformer.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { Message } from '../../conversation/message.ts';
import { tokensOf } from '../../conversation/tally.ts';
import { NotSettled, settledSoon } from '../settled-soon.ts';

/** When a transformer is called: at one of its stages, or for a requested compaction. */
export type Occasion = Stage | 'compact';

/** The result of one stage. */
export interface Outcome {
  readonly stage: Occasion;
  readonly before: Conversation;
  /** The rewritten transcript, or the model's view; for `compact` the transcript with the appended messages. */
  readonly after: Conversation;
  /** Messages that a view appended to the transcript; also in `after`. */
  readonly appended: readonly Message[];
}

/** Conditions of one call. */
export interface Circumstances {
  readonly overflow?: boolean;
  readonly isAborted?: boolean;
  /** The signal is aborted during a model call of the transformer. */
  readonly isCancelled?: boolean;
  /** Model calls of the transformer fail. */
  readonly modelFails?: boolean;
  /** The text and stop reason of the transformer's model calls. Default: "In short.", `endTurn`. */
  readonly answer?: { readonly text: string; readonly stopReason: StopReason };
}

/** The same conversation with message objects that no transformer has seen. */
export function copyOf({ system, messages }: Conversation): Conversation {
  return { system, messages: messages.map((message) => ({ ...message })) };
}

/** Model calls answered in one run. */
const mostCalls = 100;

const occasions = ['beforeTurn', 'beforeIteration', 'afterIteration', 'afterTurn', 'compact'] as const;

/** A conversation and what the transformers make of it. Laws read it and must not change anything in it. */
export class Trial {
  readonly transformers: readonly Transformer[];
  readonly conversation: Conversation;
  readonly contextTokens: number;
  /** The union of what the transformers declare. */
  readonly alters: ReadonlySet<Alteration>;
  readonly #timeoutMs: number | undefined;
  #outcomes: Promise<readonly Outcome[]> | undefined;

  constructor(
    transformers: readonly Transformer[],
    conversation: Conversation,
    contextTokens: number,
    timeoutMs?: number,
  ) {
    this.transformers = transformers;
    this.conversation = conversation;
    this.contextTokens = contextTokens;
    this.alters = new Set(transformers.flatMap(({ alters = [] }) => alters));
    this.#timeoutMs = timeoutMs;
  }

  /** The outcome of each implemented stage. Run once for all laws. */
  outcomes(): Promise<readonly Outcome[]> {
    this.#outcomes ??= this.#runAll();
    return this.#outcomes;
  }

  /** The stages that a transformer implements, including `compact`. */
  get stages(): readonly Occasion[] {
    return occasions.filter((stage) => this.transformers.some((transformer) => transformer[stage] !== undefined));
  }

  /**
   * Runs one stage on a transcript. The transformers get copied lists, so that a change in place does not reach the next
   * law. `before` is their `context.transcript`: what they remember under it is there in the next run with the same
   * object. Throws what a transformer throws, and `NotSettled` if it hangs.
   */
  async run(stage: Occasion, before: Conversation, circumstances: Circumstances = {}): Promise<Outcome> {
    let after: Conversation = { system: before.system, messages: [...before.messages] };
    const appended: Message[] = [];
    const isView = stage === 'beforeIteration' || stage === 'compact';
    for (const transformer of this.#askedAt(stage)) {
      const list = { of: after.messages, entries: [...after.messages] };
      const given: Rewrite | View | void | null = await settledSoon(
        transformer[stage]?.(after, this.#context(stage, before, circumstances)),
        this.#timeoutMs,
      );
      if (isView && !isSameList(list, after.messages)) {
        throw new Error('it changed the list it was given; before an iteration only a returned view counts');
      }
      if (given === undefined || given === null) continue;
      if (!isView) {
        after = ('conversation' in given ? given.conversation : undefined) ?? after;
        continue;
      }
      const view: View = given; // only these stages return views
      const more = view.append ?? [];
      appended.push(...more);
      const shown = (stage === 'compact' ? undefined : view.messages) ?? after.messages;
      after = { system: view.system ?? after.system, messages: [...shown, ...more] };
    }
    return { stage, before, after, appended };
  }

  // Only the first transformer that can compact is called.
  #askedAt(stage: Occasion): readonly Transformer[] {
    const able = this.transformers.filter((transformer) => transformer[stage] !== undefined);
    return stage === 'compact' ? able.slice(0, 1) : able;
  }

  async #runAll(): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const stage of this.stages) {
      // After an answer its calls have no results yet.
      const isOpen = stage === 'afterIteration' && this.conversation.messages.at(-1)?.role === 'tool';
      const { system, messages } = this.conversation;
      const given = { system, messages: isOpen ? messages.slice(0, -1) : messages };
      try {
        outcomes.push(await this.run(stage, given));
      } catch (thrown) {
        // A requested compaction may throw to say why it is impossible.
        if (stage !== 'compact' || thrown instanceof NotSettled) throw thrown;
      }
    }
    return outcomes;
  }

  #context(stage: Occasion, transcript: Conversation, circumstances: Circumstances): TransformerContext {
    const { overflow = false, isAborted = false, isCancelled = false, modelFails = false } = circumstances;
    const { answer = { text: 'In short.', stopReason: 'endTurn' } } = circumstances;
    const controller = new AbortController();
    if (isAborted) controller.abort();
    let calls = 0;
    const model: Model = {
      id: 'checked',
      info: { contextTokens: this.contextTokens },
      stream: () => {
        throw new Error('A transformer calls models through context.complete(…).');
      },
    };
    return {
      stage: stage === 'compact' ? 'beforeTurn' : stage,
      iteration: stage === 'beforeTurn' || stage === 'compact' ? 0 : 1,
      turnContext: undefined,
      model,
      transcript,
      signal: controller.signal,
      overflow,
      estimateTokens: tokensOf,
      overheadTokens: 0,
      reportFailure: () => undefined,
      complete: async (): Promise<Completion> => {
        // A transformer that calls in an endless loop would never give the check a chance to see it.
        if (++calls > mostCalls) return new Promise(() => undefined);
        if (isCancelled) controller.abort();
        if (isAborted || isCancelled || modelFails) throw new Error('The model failed.');
        const content = answer.text === '' ? [] : [{ type: 'text', text: answer.text } as const];
        return { message: { id: 'completion', role: 'assistant', content }, stopReason: answer.stopReason };
      },
    };
  }
}

function isSameList(
  { of, entries }: { readonly of: readonly Message[]; readonly entries: readonly Message[] },
  now: readonly Message[],
): boolean {
  return of === now && now.length === entries.length && now.every((message, index) => message === entries[index]);
}
