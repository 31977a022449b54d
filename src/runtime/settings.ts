// From an engine's options to what its turns read: defaults filled in, mistakes refused.

import { isBackground, taskSupport, type TaskSupport } from '../contracts/background-task.ts';
import type { EngineOptions } from '../contracts/engine.ts';
import { TurnchartError } from '../contracts/errors.ts';
import { hostWith } from '../contracts/host.ts';
import type { Model } from '../contracts/model.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Stage, Transformer } from '../contracts/transformer.ts';
import { longestDelayMs, type TurnCharts, type TurnSettings } from '../services/settings.ts';
import { checkToolNames } from '../tools/check-tool-names.ts';
import { checkOptions, invalidOption, isObject } from '../contracts/option-table.ts';
import { standardCharts } from './charts.ts';
import { engineOptions } from './check-options.ts';
import { quietly } from './quietly.ts';

/** Fills in every default. Throws `options.invalid`, `tool.invalidName`, `tool.duplicateName` or `tool.invalid`. */
export function settingsOf(options: EngineOptions, charts: TurnCharts = standardCharts): TurnSettings {
  checkOptions('createEngine', options, engineOptions);
  checkToolNames(options.tools ?? []);
  const tasks = tasksOf(options);
  const tools = withTaskTools(options.tools ?? [], tasks);
  const models = [options.model, ...(options.fallbackModels ?? [])] as const;
  models.forEach(checkModel);
  const given = options.transformers ?? [];
  given.forEach(checkTransformer);
  const transformers = byStage((stage) => given.filter((transformer) => isThere(transformer, stage)));
  const { retry } = options;
  return {
    models,
    tools: new Map(tools.map((tool): [string, Tool] => [tool.name, tool])),
    definitions: tools.map((tool) =>
      tasks !== undefined && isBackground(tool) ? tasks.publish(tool.definition) : tool.definition,
    ),
    tasks,
    transformers,
    stages: byStage((stage) => transformers[stage].length > 0),
    compactor: given.filter((transformer) => isThere(transformer, 'compact'))[0],
    toolChoice: options.toolChoice,
    request: {
      ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
      ...(options.output === undefined ? {} : { output: options.output }),
      ...(options.providerOptions === undefined ? {} : { providerOptions: options.providerOptions }),
    },
    maxIterations: options.maxIterations ?? 100,
    maxParallelTools: options.maxParallelTools ?? 8,
    toolTimeoutMs: options.toolTimeoutMs === undefined ? undefined : timerMs(options.toolTimeoutMs),
    cancelGraceMs: timerMs(options.cancelGraceMs ?? 250),
    idleTimeoutMs: timerMs(options.idleTimeoutMs ?? 120_000),
    retry: {
      attempts: retry?.attempts ?? 3,
      baseDelayMs: timerMs(retry?.baseDelayMs ?? 500),
      maxDelayMs: timerMs(retry?.maxDelayMs ?? 30_000),
      maxRetryAfterMs: timerMs(retry?.maxRetryAfterMs ?? 60_000),
    },
    approve: options.approve,
    steps: options.steps ?? {},
    host: hostWith(options.host),
    charts,
    onListenerError: quietly(options.onListenerError),
  };
}

// Our registry carries its support itself; for a foreign registry its TaskOutput tool carries it.
function tasksOf({ backgroundTasks, tools = [] }: EngineOptions): TaskSupport | undefined {
  if (backgroundTasks === undefined) return undefined;
  for (const carrier of [backgroundTasks, ...tools] as { readonly [taskSupport]?: TaskSupport }[]) {
    if (carrier?.[taskSupport] !== undefined) return carrier[taskSupport];
  }
  throw invalidOption(
    'backgroundTasks',
    'a registry from createBackgroundTasks(), or your own registry with taskOutputTool(registry) in "tools"',
    backgroundTasks,
  );
}

// Tools given by the user come first: on equal names they win.
function withTaskTools(tools: readonly Tool[], tasks: TaskSupport | undefined): readonly Tool[] {
  const names = new Set(tools.map(({ name }) => name));
  return tasks === undefined ? tools : [...tools, ...tasks.tools.filter(({ name }) => !names.has(name))];
}

function byStage<Value>(at: (stage: Stage) => Value): Record<Stage, Value> {
  return {
    beforeTurn: at('beforeTurn'),
    beforeIteration: at('beforeIteration'),
    afterIteration: at('afterIteration'),
    afterTurn: at('afterTurn'),
  };
}

const stages = byStage(() => true);

function checkTransformer(transformer: Transformer): void {
  if (!isObject(transformer) || typeof transformer.name !== 'string') {
    throw invalidOption('transformers', 'objects with a "name" and stage functions', transformer);
  }
  for (const member in transformer) {
    if (!/^(before|after)[A-Z]/.test(member) || Object.hasOwn(stages, member)) continue;
    const names = Object.keys(stages).join(', ');
    throw new TurnchartError(
      'options.invalid',
      `The transformer "${transformer.name}" has a "${member}", which is no stage; these are ${names}.`,
    );
  }
}

function isThere(transformer: Transformer, stage: Stage | 'compact'): boolean {
  const given: unknown = transformer[stage];
  if (given === undefined || typeof given === 'function') return given !== undefined;
  throw invalidOption(`transformers: ${transformer.name}.${stage}`, 'a function', given);
}

/** Throws `options.invalid` on anything that is not a model. */
export function checkModel(model: Model): void {
  if (isObject(model) && typeof model.id === 'string' && typeof model.stream === 'function') return;
  throw invalidOption('model', 'an object with an "id" and a "stream" function', model);
}

function timerMs(ms: number): number {
  return Math.min(ms, longestDelayMs);
}
