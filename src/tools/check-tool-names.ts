// The names and shapes of tools, checked before anything runs. Called by define-tool and by createEngine.

import { TurnchartError } from '../contracts/errors.ts';
import { shortText } from './bounded-text.ts';
import { describeValue } from './describe-value.ts';
import { isRecord } from './schema-node.ts';

/** The error of a tool that cannot be used, by its name. */
export function invalidTool(name: string, reason: string, cause?: unknown): TurnchartError {
  return new TurnchartError('tool.invalid', `Tool "${name}": ${reason}.`, cause === undefined ? undefined : { cause });
}

/** Throws `tool.invalidName` unless the name is 1 to 64 of a-z, A-Z, 0-9, "_" and "-". */
export function checkToolName(name: unknown): asserts name is string {
  const fault = nameFault(name);
  if (fault === undefined) return;
  throw new TurnchartError('tool.invalidName', `${fault}. Use 1 to 64 of a-z, A-Z, 0-9, "_" and "-".`);
}

function nameFault(name: unknown): string | undefined {
  if (typeof name !== 'string') return `A tool's name must be a string, got ${describeValue(name)}`;
  if (name === '') return "A tool's name is empty";
  const shown = `Tool name ${JSON.stringify(shortText(name, 80))}`;
  const bad = /[^a-zA-Z0-9_-]/u.exec(name);
  if (bad !== null) {
    const character = JSON.stringify(bad[0].toWellFormed());
    return `${shown}: the character ${character} at position ${bad.index} is not allowed`;
  }
  return name.length > 64 ? `${shown} has ${name.length} characters` : undefined;
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
      `tools[${index}] is no tool: expected an object made by defineTool, got ${describeValue(tool)}.`,
    );
  }
  const { name, definition } = tool;
  checkToolName(name);
  for (const member of ['parse', 'execute']) {
    if (typeof tool[member] !== 'function') throw invalidTool(name, `no ${member} function; make it with defineTool`);
  }
  if (!isRecord(definition) || !isRecord(definition['parameters'])) {
    throw invalidTool(name, 'no definition with parameters; make it with defineTool');
  }
  if (definition['name'] !== name) {
    const published = JSON.stringify(definition['name']);
    throw invalidTool(name, `it publishes the name ${published}, under which the model's calls would not find it`);
  }
  return name;
}
