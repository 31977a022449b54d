// Finds, among the tools a request brings, the ones that can list, read, search, count, run and keep a to-do list, and
// writes calls for them. plan.ts calls it.

import type { JsonValue, ToolDefinition } from '../../index.ts';

/** What the demo model can use a tool for. */
export type Capability = 'list' | 'read' | 'search' | 'count' | 'run' | 'todo';

/** A call about to be made. */
export interface ToolUse {
  readonly name: string;
  readonly args: { readonly [key: string]: JsonValue };
}

/** Values for a call, by meaning. The skill knows which parameter takes which. */
export interface CallValues {
  readonly glob?: string;
  readonly folder?: string;
  readonly file?: string;
  readonly text?: string;
  readonly command?: string;
  readonly todos?: readonly { readonly [key: string]: JsonValue }[];
  /** For searches that offer the choice. */
  readonly mode?: 'content' | 'count';
  /** For searches that otherwise show only a part; 0 = all. */
  readonly limit?: number;
}

/** A tool and what it is used for. */
export interface Skill {
  readonly tool: string;
  /** Its text to search for is a regular expression. */
  readonly isRegular: boolean;
  /** Whether the tool has a parameter for the value, which (if given) offers the option. Values without a parameter are left out of calls. */
  readonly takes: (value: keyof CallValues, option?: string) => boolean;
  readonly call: (values: CallValues) => ToolUse;
}

/** The best tool for each capability; a capability no tool has is absent. */
export type Skills = { readonly [capability in Capability]?: Skill };

interface Trait {
  readonly name: RegExp;
  readonly description: RegExp;
  /** A tool without a parameter for this value cannot serve. */
  readonly essential?: keyof CallValues;
  readonly parameters: { readonly [value in keyof CallValues]?: RegExp };
}

const folder = /^(?:path|dir|directory|dir_?path|folder|root|cwd)$/i;
const glob = /^(?:glob|glob_?pattern|include|include_?pattern|file_?pattern|files_?pattern)$/i;

const traits: { readonly [capability in Capability]: Trait } = {
  list: {
    name: /^(?:glob|list|ls|find|tree)$/,
    description: /\b(?:list|lists|find|finds|match\w*)\b.*\bfiles?\b/i,
    parameters: { glob: /^(?:pattern|glob|glob_?pattern|include|filter)$/i, folder },
  },
  read: {
    name: /^(?:read|cat|open|view)$/,
    description: /\bread\w*\b.*\bfile/i,
    essential: 'file',
    parameters: { file: /^(?:file_?path|path|file|file_?name|absolute_?path|target_?file)$/i },
  },
  search: {
    name: /^(?:grep|search|rg)$/,
    description: /\bsearch\w*\b.*\b(?:text|content|contents|files?)\b/i,
    essential: 'text',
    parameters: {
      text: /^(?:pattern|query|regex|text|search|term)$/i,
      folder,
      glob,
      mode: /^(?:output_?mode|mode)$/i,
      limit: /^head_?limit$/i,
    },
  },
  count: {
    name: /^(?:count|wc)$/,
    description: /\bcount\w*\b.*\blines\b/i,
    essential: 'glob',
    parameters: { glob: /^(?:pattern|glob|glob_?pattern|include|files?)$/i, folder },
  },
  run: {
    name: /^(?:bash|shell|run|exec|execute|command|powershell|terminal)$/,
    description: /\b(?:run|execut)\w*\b.*\b(?:command|shell)/i,
    essential: 'command',
    parameters: { command: /^(?:command|cmd|script)$/i },
  },
  todo: {
    name: /^(?:todo|todos|plan)$/,
    description: /\bto-?do\b|\btask list\b/i,
    essential: 'todos',
    parameters: { todos: /^(?:todos|items|plan)$/i },
  },
};

const foreign = /^(?:web|http|url|notebook|agent|tasks?|todos?|edit|write|delete|remove)$/;

/** Matches tools by the words of their names, their descriptions and their parameters. Same tools, same answer. */
export function skillsOf(tools: readonly ToolDefinition[]): Skills {
  const skills: { [capability in Capability]?: Skill } = {};
  for (const [capability, trait] of Object.entries(traits) as [Capability, Trait][]) {
    // the keys of `traits` are the capabilities
    let best = 0;
    for (const tool of tools) {
      const score = scoreOf(tool, trait);
      const skill = score > best ? skillOf(tool, trait) : undefined;
      if (skill === undefined) continue;
      best = score;
      skills[capability] = skill;
    }
  }
  return skills;
}

function scoreOf(tool: ToolDefinition, trait: Trait): number {
  const words = tool.name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (trait !== traits.todo && words.some((word) => foreign.test(word))) return 0;
  const named = words.findIndex((word) => trait.name.test(word));
  return (named < 0 ? 0 : named === 0 ? 4 : 3) + (trait.description.test(tool.description) ? 1 : 0);
}

function skillOf(tool: ToolDefinition, trait: Trait): Skill | undefined {
  const properties = propertiesOf(tool);
  const required = Array.isArray(tool.parameters['required']) ? tool.parameters['required'] : [];
  const parameterOf = new Map<keyof CallValues, string>();
  for (const [value, pattern] of Object.entries(trait.parameters) as [keyof CallValues, RegExp][]) {
    // keys of a Trait's `parameters`
    const parameter = Object.keys(properties).find(
      (key) => pattern.test(key) && ![...parameterOf.values()].includes(key),
    );
    if (parameter !== undefined) parameterOf.set(value, parameter);
  }
  if (trait.essential !== undefined && !parameterOf.has(trait.essential)) return undefined;
  if (trait === traits.list && !parameterOf.has('glob') && !trait.description.test(tool.description)) return undefined;
  const filled = [...parameterOf.values()];
  const constants: { [key: string]: JsonValue } = {};
  for (const key of required) {
    if (typeof key !== 'string' || filled.includes(key)) continue;
    const constant = constantFor(key, properties[key]);
    if (constant === undefined) return undefined; // a parameter we know no value for: this tool is for something else
    constants[key] = constant;
  }
  return {
    tool: tool.name,
    isRegular: /\bregular expressions?\b|\bregex|grep\b/i.test(`${tool.name} ${tool.description}`),
    takes: (value, option) => {
      const parameter = parameterOf.get(value);
      return parameter !== undefined && (option === undefined || optionsOf(properties[parameter]).includes(option));
    },
    call: (values) => ({ name: tool.name, args: argumentsFor(values, parameterOf, properties, required, constants) }),
  };
}

function argumentsFor(
  values: CallValues,
  parameterOf: ReadonlyMap<keyof CallValues, string>,
  properties: { readonly [key: string]: JsonValue },
  required: readonly JsonValue[],
  constants: { readonly [key: string]: JsonValue },
): ToolUse['args'] {
  const args: { [key: string]: JsonValue } = { ...constants };
  for (const [value, parameter] of parameterOf) {
    const given = value === 'todos' ? todosFor(values.todos, properties[parameter]) : values[value];
    if (given !== undefined && (value !== 'mode' || optionsOf(properties[parameter]).includes(given)))
      args[parameter] = given;
    else if (required.includes(parameter) && value === 'folder') args[parameter] = '.';
    else if (required.includes(parameter) && value === 'glob') args[parameter] = '**/*';
  }
  return args;
}

// To-do lists differ in what they call an item's text; keys the tool's schema does not know are left out.
function todosFor(todos: CallValues['todos'], property: JsonValue | undefined): JsonValue | undefined {
  const known = Object.keys(objectOf(objectOf(objectOf(property)['items'])['properties']));
  if (known.length === 0) return todos;
  return todos?.map((todo) => Object.fromEntries(Object.entries(todo).filter(([key]) => known.includes(key))));
}

function propertiesOf(tool: ToolDefinition): { readonly [key: string]: JsonValue } {
  return objectOf(tool.parameters['properties']);
}

function objectOf(value: JsonValue | undefined): { readonly [key: string]: JsonValue } {
  // Array.isArray does not narrow readonly arrays away, so the cast says what the checks have shown.
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: JsonValue })
    : {};
}

function optionsOf(property: JsonValue | undefined): readonly JsonValue[] {
  const options = objectOf(property)['enum'];
  return Array.isArray(options) ? options : [];
}

function constantFor(key: string, property: JsonValue | undefined): JsonValue | undefined {
  const schema = objectOf(property);
  if (schema['default'] !== undefined) return schema['default'];
  const [option] = optionsOf(property);
  if (option !== undefined) return option;
  if (schema['type'] === 'boolean') return false;
  return /^(?:description|explanation|reason|purpose)$/i.test(key) ? 'Asked for by the user' : undefined;
}
