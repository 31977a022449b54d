// A ModelRequest → the body of a Responses request. Pure: called by the transport, and by tests without a network.

import type { ModelRequest, ToolChoice, ToolDefinition } from '../../../contracts/model.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import { listAt, optional, textAt, type JsonObject } from '../json-fields.ts';
import { systemText } from '../media.ts';
import {
  cacheKeyOf,
  isCustom,
  isStrict,
  mergeBody,
  ownFields,
  parametersOf,
  perRequest,
  type EncodeOptions,
} from '../request-parts.ts';
import { allowsStrict } from '../strict-schema.ts';
import type { Target } from '../target.ts';
import { wellFormed } from '../../well-formed.ts';
import { encodeInput } from './encode-input.ts';

/**
 * The body, without `stream`. `extraBody` overrides what is made here, `request.providerOptions.openai` overrides both. An
 * `include` list of theirs is added to ours, an empty one removes ours. Without `store` the server keeps nothing: the
 * answer's reasoning comes encrypted, to be sent back.
 */
export function encodeResponsesRequest(request: ModelRequest, target: Target, options: EncodeOptions): JsonObject {
  const instructions = systemText(request.system);
  const tools = [...request.tools.map((tool) => toolOf(tool)), ...(options.serverTools ?? [])];
  const hasTools = tools.length > 0;
  const body: JsonObject = {
    model: target.model,
    ...(instructions === '' ? {} : { instructions }),
    input: encodeInput(request.messages, target),
    ...(hasTools ? { tools } : {}),
    ...(hasTools ? optional('tool_choice', toolChoiceOf(request.toolChoice, request.tools)) : {}),
    ...(hasTools && target.isOpenAI ? { parallel_tool_calls: true } : {}),
    ...optional('max_output_tokens', request.maxOutputTokens),
    ...(request.output === undefined ? {} : { text: { format: formatOf(request.output) } }),
    ...optional('reasoning', reasoningOf(options.reasoning)),
    store: target.store,
    ...(target.isOpenAI ? { stream_options: { include_obfuscation: false } } : {}),
    ...(target.isOpenAI ? optional('prompt_cache_key', cacheKeyOf(request)) : {}),
  };
  const merged = mergeBody(mergeBody(body, options.extraBody ?? {}), perRequest(request));
  return wellFormed({ ...merged, ...includeOf(merged, target) });
}

function toolOf(tool: ToolDefinition): JsonObject {
  const own = ownFields(tool);
  const description = tool.description === '' ? {} : { description: tool.description };
  if (isCustom(tool)) return { name: tool.name, ...description, ...own };
  // OpenAI has the name and schema of the tools it defines (shell, apply_patch, …).
  if (own['type'] !== undefined && own['type'] !== 'function') return own;
  return {
    type: 'function',
    name: tool.name,
    ...description,
    parameters: parametersOf(tool),
    strict: isStrict(tool),
    ...own,
  };
}

function toolChoiceOf(choice: ToolChoice | undefined, tools: readonly ToolDefinition[]): JsonValue | undefined {
  if (choice === undefined || typeof choice === 'string') return choice;
  const tool = tools.find((candidate) => candidate.name === choice.tool);
  const type = tool === undefined ? undefined : textAt(ownFields(tool), 'type');
  if (type === 'custom') return { type: 'custom', name: choice.tool };
  // Tools that are not functions are chosen by their type.
  if (tool === undefined || (type !== undefined && type !== 'function')) return { type: type ?? choice.tool };
  return { type: 'function', name: choice.tool };
}

function formatOf(output: NonNullable<ModelRequest['output']>): JsonObject {
  const strict = allowsStrict(output.schema);
  return { type: 'json_schema', name: output.name, schema: output.schema, ...(strict ? { strict } : {}) };
}

function includeOf(body: JsonObject, target: Target): JsonObject {
  const asked = body['include'];
  const isRefused = Array.isArray(asked) && asked.length === 0;
  if (body['store'] === true || isRefused || !mayReason(target.model)) return {};
  return { include: [...new Set(['reasoning.encrypted_content', ...listAt(body, 'include')])] };
}

/** A string is the effort. */
function reasoningOf(reasoning: JsonValue | undefined): JsonValue | undefined {
  return typeof reasoning === 'string' ? { effort: reasoning } : reasoning;
}

/** Models without reasoning refuse requests for encrypted reasoning. */
function mayReason(model: string): boolean {
  const name = model.split(/[/:]/).find((part) => /^(gpt|chatgpt)-/.test(part)) ?? model;
  return !/^(gpt-3|gpt-4|chatgpt-4)/.test(name);
}
