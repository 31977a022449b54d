// The names and shapes of tools, checked before anything runs. Called by define-tool and by createEngine.

import { TurnchartError } from '../contracts/errors.ts';
import { describeGiven } from '../contracts/option-table.ts';
import { shortText } from './bounded-text.ts';
import { isRecord } from './schema-node.ts';

/** The error for a tool that cannot be used. */
export function invalidTool(name: string, reason: string, cause?: unknown): TurnchartError {
  return new TurnchartError('tool.invalid', `Tool "${name}": ${reason}.`, cause === undefined ? undefined : { cause });
}

/** Throws `tool.invalidName` unless the name has 1 to 64 characters of a-z, A-Z, 0-9, "_" and "-". */
export function checkToolName(name: unknown): asserts name is string {
  if (typeof name === 'string' && /^[\w-]{1,64}$/.test(name)) return;
  // Shown in full, unless its length is what is wrong.
  const shown = typeof name === 'string' ? JSON.stringify(shortText(name, 80)) : describeGiven(name);
  throw new TurnchartError(
    'tool.invalidName',
    `A tool's name must be 1 to 64 of a-z, A-Z, 0-9, "_" and "-", got ${shown}.`,
  );
}

/**
 * Checks the tools of an engine, also hand-made ones. Throws `tool.invalidName`, `tool.duplicateName`, and
 * `tool.invalid` for a value that is not a tool. Names that differ only in case are different names.
 */
export function checkToolNames(tools: readonly unknown[]): void {
  const seen = new Map<string, number>();
  for (const [index, tool] of tools.entries()) {
    const name = checkTool(tool, index);
    const first = seen.get(name);
    if (first !== undefined) {
      throw new TurnchartError(
        'tool.duplicateName',
        `Two tools have the name "${name}" (positions ${first} and ${index}): rename one, or leave it out.`,
      );
    }
    seen.set(name, index);
  }
}

function checkTool(tool: unknown, index: number): string {
  if (!isRecord(tool)) {
    throw new TurnchartError(
      'tool.invalid',
      `tools[${index}] is not a tool: expected an object made by defineTool, got ${describeGiven(tool)}.`,
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
    throw invalidTool(name, `definition.name is ${published} but the tool's name differs; they must be equal`);
  }
  return name;
}
