// Checks notebooks against the published JSON schemas of nbformat 4, which lie beside this file. Used by the notebook tests.

import { readFileSync } from 'node:fs';
import { jsonSchema, type JsonSchema } from '../../../src/codec/json-schema.ts';
import type { JsonValue } from '../../../src/conversation/json.ts';

/** The minor versions there are schemas of. */
export const minors = [0, 1, 2, 3, 4, 5] as const;

const checks = new Map<number, JsonSchema<unknown>>();

/** What is wrong with the notebook, as `path: message`; empty when the schema of its minor version takes it. */
export function notebookFaults(notebook: unknown, minor: number): readonly string[] {
  let check = checks.get(minor);
  if (check === undefined) checks.set(minor, (check = jsonSchema(schemaOf(minor))));
  const { issues = [] } = check['~standard'].validate(notebook);
  return issues.map(({ message, path = [] }) => `${path.map(String).join('.')}: ${message}`);
}

// A check in full, or none: `jsonSchema` throws on whatever it could not check. So the schema is said in its words, with the
// same meaning: definitions on one level; without `not`, which only two definitions have that no part of a notebook refers
// to; and with a pattern for all other names where a schema of additional properties stands beside patterns.
function schemaOf(minor: number): { readonly [key: string]: JsonValue } {
  const file = new URL(`nbformat/nbformat.v4.${minor}.schema.json`, import.meta.url);
  const text = readFileSync(file, 'utf8').replaceAll('#/definitions/misc/', '#/definitions/misc_');
  const schema = JSON.parse(text) as { readonly definitions: Readonly<Record<string, Definition>> };
  const { misc = {}, unrecognized_cell: _cell, unrecognized_output: _output, ...definitions } = schema.definitions;
  const flat = Object.entries(misc as Definition).map(([name, definition]) => [
    `misc_${name}`,
    withoutRest(definition as Definition),
  ]);
  return { ...schema, definitions: { ...definitions, ...(Object.fromEntries(flat) as Definition) } };
}

type Definition = { readonly [key: string]: JsonValue };

function withoutRest(definition: Definition): Definition {
  const { additionalProperties: rest, patternProperties, ...others } = definition;
  if (typeof rest !== 'object' || typeof patternProperties !== 'object') return definition;
  const patterns = Object.keys(patternProperties ?? {});
  if (!patterns.every((pattern) => pattern.startsWith('^'))) throw new Error('Only patterns of whole names are known.');
  const allOthers = `^${patterns.map((pattern) => `(?!${pattern.slice(1)})`).join('')}`;
  return { ...others, patternProperties: { ...patternProperties, [allOthers]: rest } };
}
