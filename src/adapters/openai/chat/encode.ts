// A ModelRequest → the body of a Chat Completions request. Pure: called by the transport, and by tests without a
// network. For servers that only imitate OpenAI it uses only fields that all of them accept.

import type { ModelRequest, ToolChoice, ToolDefinition } from '../../../contracts/model.ts';
import type { JsonValue } from '../../../conversation/json.ts';
import { objectOf, optional, without, type JsonObject } from '../json-fields.ts';
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
import { encodeMessages } from './encode-messages.ts';

/** The body, without `stream`. `extraBody` overrides what is made here, `request.providerOptions.openai` overrides both. */
export function encodeChatRequest(request: ModelRequest, target: Target, options: EncodeOptions): JsonObject {
  const tools = [...request.tools.map((tool) => toolOf(tool, target)), ...(options.serverTools ?? [])];
  const limit = target.isOpenAI ? 'max_completion_tokens' : 'max_tokens';
  const body: JsonObject = {
    model: target.model,
    messages: encodeMessages(request, target),
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 ? optional('tool_choice', toolChoiceOf(request.toolChoice, request.tools)) : {}),
    ...optional(limit, request.maxOutputTokens),
    ...(request.output === undefined ? {} : { response_format: formatOf(request.output) }),
    ...reasoningOf(options.reasoning),
    stream_options: { include_usage: true, ...(target.isOpenAI ? { include_obfuscation: false } : {}) },
    ...(target.isOpenAI ? optional('prompt_cache_key', cacheKeyOf(request)) : {}),
    ...(target.store ? { store: true } : {}),
  };
  return wellFormed(mergeBody(mergeBody(body, options.extraBody ?? {}), perRequest(request)));
}

function toolOf(tool: ToolDefinition, target: Target): JsonObject {
  const own = ownFields(tool);
  const description = tool.description === '' ? {} : { description: tool.description };
  if (isCustom(tool)) return { type: 'custom', custom: { name: tool.name, ...description, ...without(own, 'type') } };
  // Compatible servers get the field only from a tool that sets it: some refuse it.
  const strict = target.isOpenAI ? isStrict(tool) : tool.strict;
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...description,
      parameters: parametersOf(tool),
      ...optional('strict', strict),
      ...without(own, 'type'),
    },
  };
}

function toolChoiceOf(choice: ToolChoice | undefined, tools: readonly ToolDefinition[]): JsonValue | undefined {
  if (choice === undefined || typeof choice === 'string') return choice;
  const tool = tools.find((candidate) => candidate.name === choice.tool);
  if (tool !== undefined && isCustom(tool)) return { type: 'custom', custom: { name: choice.tool } };
  return { type: 'function', function: { name: choice.tool } };
}

function formatOf(output: NonNullable<ModelRequest['output']>): JsonObject {
  const strict = allowsStrict(output.schema);
  return {
    type: 'json_schema',
    json_schema: { name: output.name, schema: output.schema, ...(strict ? { strict } : {}) },
  };
}

/** An effort alone goes into the field that every server reads; an object with more (OpenRouter's) is sent as it is. */
function reasoningOf(reasoning: JsonValue | undefined): JsonObject {
  if (reasoning === undefined || reasoning === null) return {};
  if (typeof reasoning === 'string') return { reasoning_effort: reasoning };
  const fields = objectOf(reasoning);
  const isEffortAlone = fields !== undefined && Object.keys(fields).every((key) => key === 'effort');
  return isEffortAlone ? optional('reasoning_effort', fields['effort']) : { reasoning };
}
