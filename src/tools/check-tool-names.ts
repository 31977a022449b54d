// The names and shapes of tools, checked before anything runs. Called by define-tool and by createEngine.

import { TurnchartError } from '../contracts/errors.ts';
import { isRecord } from './schema-node.ts';

/** Throws `tool.invalidName` unless the name is 1 to 64 of a-z, A-Z, 0-9, "_" and "-". */
export function checkToolName(name: unknown): asserts name is string {
  const rule = 'Use 1 to 64 of a-z, A-Z, 0-9, "_" and "-".';
  if (typeof name !== 'string') {
    throw new TurnchartError(
      'tool.invalidName',
      `A tool's name must be a string, got ${name === null ? 'null' : typeof name}. ${rule}`,
    );
  }
  if (name === '') throw new TurnchartError('tool.invalidName', `A tool's name is empty. ${rule}`);
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80).toWellFormed()}…` : name);
  const bad = /[^a-zA-Z0-9_-]/u.exec(name);
  if (bad !== null) {
    const character = JSON.stringify(bad[0].toWellFormed());
    throw new TurnchartError(
      'tool.invalidName',
      `Tool name ${shown}: the character ${character} at position ${bad.index} is not allowed. ${rule}`,
    );
  }
  if (name.length > 64) {
    throw new TurnchartError('tool.invalidName', `Tool name ${shown} has ${name.length} characters. ${rule}`);
  }
}

/**
 * Checks what an engine is given, hand-made tools included: `tool.invalidName`, `tool.duplicateName`, and
 * `tool.invalid` for a value that is no tool. Names that differ only in case are different names.
 */
export function checkToolNames(tools: readonly unknown[]): void {
  const seen = new Map<string, number>();
  for (const [index, tool] of tools.entries()) {
    const name = checkTool(tool, index);
    const first = seen.get(name);
    if (first !== undefined) {
      throw new TurnchartError(
        'tool.duplicateName',
        `Two tools have the name "${name}" (positions ${first} and ${index}). Give each tool a name of its own, or leave one out.`,
      );
    }
    seen.set(name, index);
  }
}

function checkTool(tool: unknown, index: number): string {
  if (!isRecord(tool)) {
    throw new TurnchartError(
      'tool.invalid',
      `tools[${index}] is no tool: expected an object made by defineTool, got ${describe(tool)}.`,
    );
  }
  const name = tool['name'];
  checkToolName(name);
  for (const member of ['parse', 'execute']) {
    if (typeof tool[member] !== 'function') {
      throw new TurnchartError('tool.invalid', `Tool "${name}" has no ${member} function. Make it with defineTool.`);
    }
  }
  const definition = tool['definition'];
  if (!isRecord(definition) || !isRecord(definition['parameters'])) {
    throw new TurnchartError(
      'tool.invalid',
      `Tool "${name}" has no definition with parameters. Make it with defineTool.`,
    );
  }
  if (definition['name'] !== name) {
    throw new TurnchartError(
      'tool.invalid',
      `Tool "${name}" publishes the name ${JSON.stringify(definition['name'])}: the model's calls would not find it. Use one name.`,
    );
  }
  return name;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value;
}
