// A model request → the body of a Messages API request. Pure: called by the model, and by tests without a network.

import type { ModelRequest, ToolChoice, ToolDefinition } from '../../contracts/model.ts';
import type { Block } from '../../conversation/block.ts';
import type { JsonValue } from '../../conversation/json.ts';
import type { Message } from '../../conversation/message.ts';
import { numberAt, recordOf, textAt } from '../json-reading.ts';
import { wellFormed } from '../well-formed.ts';
import { accepted } from './accepted.ts';
import { providerName } from './blocks.ts';
import { providerParam, textParam, type ContentParam } from './encode-content.ts';
import { encodeMessages, type MessageParam } from './encode-messages.ts';
import { strictSchema } from './strict-schema.ts';

/** The part of the adapter's options that shapes the body. */
export interface EncodeOptions {
  readonly model: string;
  /** `max_tokens` if the request does not set it. */
  readonly maxOutputTokens: number;
  readonly thinking?: JsonValue | undefined;
  readonly effort?: string | undefined;
  /** Where the marker for caching the whole prompt goes: on the request or on its last block. `off` = no marker. */
  readonly cache: 'request' | 'blocks' | 'off';
  readonly serverTools: readonly JsonValue[];
  /** The API drops thinking that no longer fits the messages before it. Default: it refuses the request. */
  readonly dropsUnbound?: boolean;
  readonly extraBody?: { readonly [key: string]: JsonValue } | undefined;
  /** Milliseconds since the epoch: an expired container is not requested again. */
  readonly now: number;
}

/** A request body; `stream` is set by the model. */
export type RequestBody = { readonly [key: string]: unknown };

const marker = { type: 'ephemeral' } as const;
// The API may refuse a budget that leaves no room for the answer.
const answerTokens = 8192;

/**
 * The body. `request.providerOptions.anthropic` holds body fields of this call, `extraBody` those of every call; both
 * override what is made here. A tool's `providerOptions.anthropic` is merged into its entry of `tools`.
 */
export function encodeRequest(request: ModelRequest, options: EncodeOptions): RequestBody {
  const system = encodeSystem(request.system);
  const tools = encodeTools(request, options);
  const isCached = options.cache !== 'off';
  const encoded = encodeMessages(request.messages);
  const messages = options.cache === 'blocks' ? markedAtEnd(encoded) : encoded;
  const config = outputConfig(request, options);
  const container = containerOf(request.messages, options.now);
  const perCall = recordOf(request.providerOptions?.[providerName]) ?? {};
  const body: { [key: string]: unknown } = {
    model: options.model,
    max_tokens: request.maxOutputTokens ?? Math.max(options.maxOutputTokens, budgetOf(options.thinking) + answerTokens),
    ...(system.length === 0 ? {} : { system: isCached ? marked(system) : system }),
    ...(tools.length === 0 ? {} : { tools: isCached && system.length === 0 ? marked(tools) : tools }),
    ...(tools.length === 0 ? {} : toolChoiceOf(request.toolChoice)),
    ...(options.thinking === undefined ? {} : { thinking: options.thinking }),
    ...(config === undefined ? {} : { output_config: config }),
    ...(container === undefined ? {} : { container }),
    // The automatic marker: the API moves it to the last block that can be cached, so each call reads what the last one wrote.
    ...(options.cache === 'request' ? { cache_control: marker } : {}),
    messages,
  };
  const whole = merge(merge(body, options.extraBody ?? {}), perCall);
  // Messages that the caller put in are not corrected.
  return wellFormed(
    whole['messages'] === messages ? accepted({ ...whole, messages }, options.dropsUnbound === true) : whole,
  );
}

function encodeSystem(blocks: readonly Block[]): readonly ContentParam[] {
  const system: ContentParam[] = [];
  for (const block of blocks) {
    const encoded =
      block.type === 'text' ? textParam(block.text) : block.type === 'provider' ? providerParam(block) : undefined;
    if (encoded !== undefined) system.push(encoded);
  }
  return system;
}

/** A breakpoint on the last entry, so that other conversations with the same beginning find it cached; existing breakpoints are left alone. */
function marked(entries: readonly ContentParam[]): readonly ContentParam[] {
  const last = entries.at(-1);
  if (last === undefined || entries.some((entry) => 'cache_control' in entry) || last['defer_loading'] === true) {
    return entries;
  }
  return [...entries.slice(0, -1), { ...last, cache_control: marker }];
}

/** The marker on the last block of the last message, for servers without the automatic one. */
function markedAtEnd(messages: readonly MessageParam[]): readonly MessageParam[] {
  const last = messages.at(-1);
  if (last === undefined || last.role !== 'user') return messages; // an assistant's thinking takes no marker
  return [...messages.slice(0, -1), { ...last, content: marked(last.content) }];
}

function encodeTools(request: ModelRequest, options: EncodeOptions): readonly ContentParam[] {
  const server = options.serverTools.map((tool) => recordOf(tool)).filter((tool) => tool !== undefined);
  return [...request.tools.map(encodeTool), ...(server as readonly ContentParam[])]; // parsed JSON: no field is undefined
}

function encodeTool(tool: ToolDefinition): ContentParam {
  const own = (recordOf(recordOf(tool.providerOptions)?.[providerName]) ?? {}) as ContentParam; // parsed JSON
  // Anthropic has the description and schema of the tools it defines (computer, bash, text editor, …).
  if (own['type'] !== undefined && own['type'] !== 'custom') return { ...own, name: tool.name };
  const strict = tool.strict === true ? strictSchema(tool.parameters) : undefined;
  return {
    name: tool.name,
    ...(tool.description === '' ? {} : { description: tool.description }),
    input_schema: strict ?? { type: 'object', ...tool.parameters },
    ...(strict === undefined ? {} : { strict: true }),
    ...own,
  };
}

function toolChoiceOf(choice: ToolChoice | undefined): { readonly tool_choice?: ContentParam } {
  if (choice === undefined) return {};
  if (typeof choice === 'object') return { tool_choice: { type: 'tool', name: choice.tool } };
  return { tool_choice: { type: choice === 'required' ? 'any' : choice } };
}

function outputConfig(request: ModelRequest, options: EncodeOptions): ContentParam | undefined {
  if (options.effort === undefined && request.output === undefined) return undefined;
  const { output } = request;
  return {
    ...(options.effort === undefined ? {} : { effort: options.effort }),
    ...(output === undefined
      ? {}
      : { format: { type: 'json_schema', schema: strictSchema(output.schema) ?? output.schema } }),
  };
}

/** The container of the last answer that had one, which holds the files it wrote. */
function containerOf(messages: readonly Message[], now: number): string | undefined {
  const message = messages.findLast((one) => recordOf(recordOf(one.meta?.[providerName])?.['container']) !== undefined);
  const container = recordOf(recordOf(message?.meta?.[providerName])?.['container']);
  const expires = Date.parse(textAt(container, 'expires_at') ?? '');
  return Number.isNaN(expires) || expires > now ? textAt(container, 'id') : undefined;
}

function budgetOf(thinking: JsonValue | undefined): number {
  return numberAt(recordOf(thinking), 'budget_tokens') ?? 0;
}

/** Fields of `over` override those of `under`; `output_config` is merged field by field. */
function merge(
  under: { readonly [key: string]: unknown },
  over: { readonly [key: string]: unknown },
): { [key: string]: unknown } {
  const config = { ...recordOf(under['output_config']), ...recordOf(over['output_config']) };
  return { ...under, ...over, ...(Object.keys(config).length === 0 ? {} : { output_config: config }) };
}
