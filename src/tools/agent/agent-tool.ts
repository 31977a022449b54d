// The Agent tool: a model gives a task to a subagent. Called by apps.

import type { BackgroundTool } from '../../contracts/background-task.ts';
import type { ToolDefinition } from '../../contracts/model.ts';
import { aText, checkOptions, invalidOption, numberFrom, type Check } from '../../contracts/option-table.ts';
import { invalidTool } from '../check-tool-names.ts';
import { defineBackgroundTool } from '../define-background-tool.ts';
import { ToolResult } from '../tool-result.ts';
import { runSubagent } from './run-subagent.ts';
import type { AgentToolOptions, SubagentType } from './subagent-type.ts';

interface AgentArguments {
  readonly prompt: string;
  readonly subagent_type?: string;
}

/**
 * Makes the tool `Agent`. A subagent is an operative with one turn on a scratch conversation; if the parent is
 * cancelled, it is cancelled within the grace time. If its engine has no `approve`, its calls use the parent's. The
 * parent's listeners see its work as `toolCall.progress` (`{ type: 'agent', agent, event, … }`: calls, shortened texts
 * and the end, never pieces of a stream) and its tokens as `usage.subagents`. Throws `tool.invalid` without a type,
 * `options.invalid` for wrong options and types.
 */
export function agentTool(
  types: { readonly [name: string]: SubagentType },
  options: AgentToolOptions = {},
): BackgroundTool {
  const known = new Map(Object.entries(types));
  if (known.size === 0) throw invalidTool('Agent', 'it needs at least one type of subagent');
  checkOptions('agentTool', options, agentOptions);
  for (const [name, type] of known) {
    checkOptions('A type of subagent', type, subagentType, `${name}.`);
    if (type.engine === undefined) throw invalidOption(`${name}.engine`, aFunction[0], undefined);
  }
  const { maxDepth = 5, maxParallel = 8 } = options;
  const usual = definitionOf(known);
  const definition = options.definition?.(usual) ?? usual;
  const placesKey = Symbol('turnchart.agentPlaces');
  return defineBackgroundTool({
    ...definition,
    isConcurrencySafe: options.isConcurrencySafe ?? true,
    replay: 'unsafe',
    execute: (args, context) => {
      const { prompt, subagent_type: wanted } = args as AgentArguments; // as the schema says, unless the host replaced it
      const name = wanted ?? [...known.keys()][0] ?? '';
      const type = wanted === undefined && known.size > 1 ? undefined : known.get(name);
      if (type === undefined) return ToolResult.error(`subagent_type must be one of ${[...known.keys()].join(', ')}.`);
      if (typeof prompt !== 'string' || prompt.trim() === '') return ToolResult.error('The prompt is empty.');
      const spawn = { name, type, prompt, options, toolName: definition.name, maxDepth, maxParallel, placesKey };
      return runSubagent(spawn, context);
    },
  });
}

function definitionOf(types: ReadonlyMap<string, SubagentType>): ToolDefinition {
  const list = [...types].map(([name, { description }]) => `- ${name}: ${description}`);
  const one = types.size === 1 ? [...types.values()][0] : undefined;
  return {
    name: 'Agent',
    description: [
      'Hands a task to a subagent, which works on its own with its own tools and gives back its final answer. It knows nothing of this conversation: put all it needs into the prompt.',
      ...(one === undefined ? ['Types of subagents:', ...list] : [one.description]),
    ].join('\n'),
    parameters: {
      type: 'object',
      properties: {
        description: { type: 'string', description: 'The task in three to five words, for the person who watches' },
        prompt: { type: 'string', description: 'The task, complete' },
        ...(one === undefined ? { subagent_type: { type: 'string', enum: [...types.keys()] } } : {}),
      },
      required: one === undefined ? ['prompt', 'subagent_type'] : ['prompt'],
    },
  };
}

const aFunction: Check = ['a function', (value) => typeof value === 'function'];
const aFlag: Check = ['true or false', (value) => typeof value === 'boolean'];

const agentOptions = {
  seed: aFunction,
  definition: aFunction,
  operative: aFunction,
  extractAnswer: aFunction,
  maxDepth: numberFrom(1),
  maxParallel: numberFrom(1),
  isConcurrencySafe: aFlag,
} satisfies Record<keyof AgentToolOptions, Check>;

const subagentType = {
  description: aText,
  engine: aFunction,
  systemPrompt: aText,
  allowRecursion: aFlag,
} satisfies Record<keyof SubagentType, Check>;
