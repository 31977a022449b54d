// One conversation put through a transformer, or several in order, as the runtime does it. Called by the laws.

import type { Model } from '../../contracts/model.ts';
import type { Alteration, Rewrite, Stage, Transformer, TransformerContext, View } from '../../contracts/transformer.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import type { Message } from '../../conversation/message.ts';
import { estimateTokens } from '../../conversation/tokens.ts';

/** What one stage made of a conversation. */
export interface Outcome {
  readonly stage: Stage;
  readonly before: Conversation;
  /** The rewritten transcript, or what the model sees. */
  readonly after: Conversation;
  /** What a view appended to the transcript; in `after` as well. */
  readonly appended: readonly Message[];
}

/** Circumstances of one call. */
export interface Circumstances {
  readonly overflow?: boolean;
  readonly isAborted?: boolean;
  /** Model calls of the transformer fail. */
  readonly modelFails?: boolean;
}

/** The same conversation in messages that no transformer has met. */
export function copyOf({ system, messages }: Conversation): Conversation {
  return { system, messages: messages.map((message) => ({ ...message })) };
}

const allStages = ['beforeTurn', 'beforeIteration', 'afterIteration', 'afterTurn'] as const;

/** A conversation and what the transformers make of it. Laws read it; nothing in it may be changed. */
export class Trial {
  readonly transformers: readonly Transformer[];
  readonly conversation: Conversation;
  readonly contextTokens: number;
  /** What the transformers declare, together. */
  readonly alters: ReadonlySet<Alteration>;
  #outcomes: Promise<readonly Outcome[]> | undefined;

  constructor(transformers: readonly Transformer[], conversation: Conversation, contextTokens: number) {
    this.transformers = transformers;
    this.conversation = conversation;
    this.contextTokens = contextTokens;
    this.alters = new Set(transformers.flatMap(({ alters = [] }) => alters));
  }

  /** What each stage that somebody works in makes of the conversation. Run once for all laws. */
  outcomes(): Promise<readonly Outcome[]> {
    this.#outcomes ??= this.#runAll();
    return this.#outcomes;
  }

  /** The stages in which somebody works. */
  get stages(): readonly Stage[] {
    return allStages.filter((stage) => this.transformers.some((transformer) => transformer[stage] !== undefined));
  }

  /** One stage on a conversation, with lists of its own, so that a change in place does not reach the next law. */
  async run(stage: Stage, before: Conversation, circumstances: Circumstances = {}): Promise<Outcome> {
    let after: Conversation = { system: before.system, messages: [...before.messages] };
    const appended: Message[] = [];
    for (const transformer of this.transformers) {
      const given: Rewrite | View | void | null = await transformer[stage]?.(
        after,
        this.#context(stage, circumstances),
      );
      if (given === undefined || given === null) continue;
      if (stage !== 'beforeIteration') {
        after = ('conversation' in given ? given.conversation : undefined) ?? after;
        continue;
      }
      const view: View = given; // only this stage gives views
      const more = view.append ?? [];
      appended.push(...more);
      after = { system: view.system ?? after.system, messages: [...(view.messages ?? after.messages), ...more] };
    }
    return { stage, before, after, appended };
  }

  async #runAll(): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const stage of this.stages) {
      // After an answer its calls have no results yet.
      const isOpen = stage === 'afterIteration' && this.conversation.messages.at(-1)?.role === 'tool';
      const messages = isOpen ? this.conversation.messages.slice(0, -1) : this.conversation.messages;
      outcomes.push(await this.run(stage, { system: this.conversation.system, messages }));
    }
    return outcomes;
  }

  #context(
    stage: Stage,
    { overflow = false, isAborted = false, modelFails = false }: Circumstances,
  ): TransformerContext {
    const model: Model = {
      id: 'checked',
      info: { contextTokens: this.contextTokens },
      stream: () => {
        throw new Error('A transformer calls models through context.complete(…).');
      },
    };
    return {
      stage,
      iteration: stage === 'beforeTurn' ? 0 : 1,
      turnContext: undefined,
      model,
      signal: isAborted ? AbortSignal.abort() : new AbortController().signal,
      overflow,
      estimateTokens,
      overheadTokens: 0,
      reportFailure: () => undefined,
      complete: async () => {
        if (isAborted || modelFails) throw new Error('The model failed.');
        return {
          message: { id: 'completion', role: 'assistant', content: [{ type: 'text', text: 'In short.' }] },
          stopReason: 'endTurn',
        };
      },
    };
  }
}
