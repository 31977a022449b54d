// What the request bodies of both APIs have in common. Called by the two encoders.

import type { ModelRequest, ToolDefinition } from '../../contracts/model.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { listAt, objectAt, objectOf, textAt, type JsonObject } from './json-fields.ts';
import { allowsStrict } from './strict-schema.ts';

/** The part of the adapter's options that shapes request bodies. */
export interface EncodeOptions {
  readonly reasoning?: JsonValue;
  readonly serverTools?: readonly JsonValue[];
  readonly extraBody?: { readonly [key: string]: JsonValue };
}

/** The request's extra body fields, from `providerOptions.openai`. */
export function perRequest(request: ModelRequest): JsonObject {
  return objectOf(request.providerOptions?.['openai']) ?? {};
}

/** The body with `more` over it; objects are merged, everything else is replaced. */
export function mergeBody(body: JsonObject, more: JsonObject): JsonObject {
  const merged: { [key: string]: JsonValue } = { ...body };
  for (const [key, value] of Object.entries(more)) {
    const below = objectOf(merged[key]);
    const above = objectOf(value);
    merged[key] = below !== undefined && above !== undefined ? mergeBody(below, above) : value;
  }
  return merged;
}

/** A tool's extra fields, from its `providerOptions.openai`; `{ type: 'custom' }` makes it a free text tool. */
export function ownFields(tool: ToolDefinition): JsonObject {
  return objectAt(objectOf(tool.providerOptions), 'openai') ?? {};
}

/** Whether the tool takes free text instead of JSON arguments. */
export function isCustom(tool: ToolDefinition): boolean {
  return ownFields(tool)['type'] === 'custom';
}

/** What the tool says; by default strict if its schema allows it. */
export function isStrict(tool: ToolDefinition): boolean {
  return tool.strict ?? allowsStrict(tool.parameters);
}

/** The schema with `type` and `properties`: servers refuse one without them. */
export function parametersOf(tool: ToolDefinition): JsonObject {
  return { type: 'object', ...tool.parameters, properties: tool.parameters['properties'] ?? {} };
}

/** Names of all free text tools in a body, whoever put them there. */
export function customToolNames(body: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  for (const entry of listAt(body, 'tools')) {
    const tool = objectOf(entry);
    if (tool?.['type'] !== 'custom') continue;
    const name = textAt(tool, 'name') ?? textAt(objectAt(tool, 'custom'), 'name');
    if (name !== undefined) names.add(name);
  }
  return names;
}

/** A cache key that is constant within a conversation: the id of its first message, cut to 64 characters. */
export function cacheKeyOf(request: ModelRequest): string | undefined {
  return request.messages[0]?.id.slice(0, 64);
}
