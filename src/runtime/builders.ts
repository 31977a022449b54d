// Fluent set-up of an engine. Every method returns a new builder, so that a half-built one can be shared.

import type { BackgroundTaskRegistry } from '../contracts/background-task.ts';
import type { Engine, EngineOptions } from '../contracts/engine.ts';
import { TurnchartError } from '../contracts/errors.ts';
import type { Model } from '../contracts/model.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Transformer } from '../contracts/transformer.ts';
import type { Operative } from '../contracts/operative.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { defaultTransformers } from '../transformers/default-transformers.ts';
import { createEngine } from './engine.ts';
import { OperativeBuilder } from './operative.ts';

/**
 * Builds an engine step by step. `new EngineBuilder()` starts without transformers, `fromDefaults` with the default
 * stack.
 */
export class EngineBuilder<TurnContext = unknown> {
  readonly #options: Partial<EngineOptions<TurnContext>>;

  constructor(options: Partial<EngineOptions<TurnContext>> = {}) {
    this.#options = { ...options, transformers: options.transformers ?? [] };
  }

  /** A builder with the model and the default transformers. */
  static fromDefaults<T = unknown>(model: Model): EngineBuilder<T> {
    return new EngineBuilder<T>({ model, transformers: defaultTransformers() });
  }

  withModel(model: Model): EngineBuilder<TurnContext> {
    return this.with({ model });
  }

  addTool(tool: Tool<TurnContext>): EngineBuilder<TurnContext> {
    return this.addTools([tool]);
  }

  addTools(tools: readonly Tool<TurnContext>[]): EngineBuilder<TurnContext> {
    return this.with({ tools: [...(this.#options.tools ?? []), ...tools] });
  }

  /** Adds a transformer after those there are. */
  addTransformer(transformer: Transformer<TurnContext>): EngineBuilder<TurnContext> {
    return this.with({ transformers: [...(this.#options.transformers ?? []), transformer] });
  }

  withBackgroundTasks(tasks: BackgroundTaskRegistry): EngineBuilder<TurnContext> {
    return this.with({ backgroundTasks: tasks });
  }

  /** Sets any options; each one given replaces what was there. */
  with(options: Partial<EngineOptions<TurnContext>>): EngineBuilder<TurnContext> {
    return new EngineBuilder({ ...this.#options, ...options });
  }

  /** Throws `options.invalid` without a model, and whatever `createEngine` throws. */
  build(): Engine<TurnContext> {
    const { model } = this.#options;
    if (model === undefined) {
      throw new TurnchartError('options.invalid', 'An engine needs a model: call withModel(model) before build().');
    }
    return createEngine({ ...this.#options, model });
  }

  /** Engine and operative in one call. */
  buildOperative(
    conversation: Conversation,
    configure: (builder: OperativeBuilder<TurnContext>) => OperativeBuilder<TurnContext> = (builder) => builder,
  ): Operative<TurnContext> {
    return configure(OperativeBuilder.create(this.build(), conversation)).build();
  }
}
