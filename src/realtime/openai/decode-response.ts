// The events of an answer → neutral facts: its beginning, its end, and the tools it calls. Called by decode-event.ts.

import { listOf, recordOf, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { redact } from '../../adapters/redact.ts';
import type { ResponseStatus } from '../../contracts/realtime.ts';
import type { WireFact, WireToolCall } from '../wire.ts';
import { decodeUsage } from './decode-usage.ts';
import { requestIdKey } from './encode-command.ts';
import { optional } from './merge.ts';
import type { OpenResponse, OpenResponses } from './open-responses.ts';
import type { RequestMatcher } from './request-matcher.ts';

type Facts = readonly WireFact[] | undefined;

/** `response.created`. A repeated one belongs to the same request as the first. */
export function responseCreated(event: JsonRecord, open: OpenResponses, requests: RequestMatcher): Facts {
  const response = recordOf(event['response']);
  const id = textAt(response, 'id');
  if (response === undefined || id === undefined) return undefined;
  const isNew = open.get(id) === undefined;
  const opened = open.open(id);
  if (isNew) opened.requestId = requests.match(response);
  return [{ type: 'response.created', responseId: id, ...belonging(response, opened.requestId) }];
}

/** `response.done`: nothing more is remembered of it. */
export function responseDone(event: JsonRecord, open: OpenResponses, secrets: readonly (string | undefined)[]): Facts {
  const response = recordOf(event['response']);
  const id = textAt(response, 'id');
  if (response === undefined || id === undefined) return undefined;
  const known = open.get(id);
  open.forget(id);
  // xAI puts it next to the response, and an empty object inside.
  const usage = decodeUsage(response['usage']) ?? decodeUsage(event['usage']);
  return [
    {
      type: 'response.done',
      responseId: id,
      ...belonging(response, known?.requestId ?? textAt(recordOf(response['metadata']), requestIdKey)),
      ...statusOf(response, secrets),
      calls: (listOf(response['output']) ?? []).flatMap((item) => callOf(recordOf(item), known) ?? []),
      ...optional('usage', usage),
    },
  ];
}

/** `response.output_item.added`: has no neutral form, but later events depend on it. */
export function noteItem(event: JsonRecord, responseId: string | undefined, open: OpenResponses): void {
  const item = recordOf(event['item']);
  const id = textAt(item, 'id');
  if (id === undefined || responseId === undefined) return;
  open.place(id, responseId);
  const name = textAt(item, 'name');
  const response = open.open(responseId);
  if (name !== undefined) response.callNames.set(id, name);
}

/** `response.output_item.done`: a call that was not reported with its arguments is reported now. */
export function itemDone(event: JsonRecord, responseId: string | undefined, open: OpenResponses): Facts {
  if (responseId === undefined) return undefined;
  const response = open.open(responseId);
  const call = callOf(recordOf(event['item']), response);
  return call === undefined ? undefined : tellOnce(call, responseId, response);
}

/** `response.function_call_arguments.done`. Without a name it is reported with its item, whose event comes next. */
export function callDone(event: JsonRecord, responseId: string | undefined, open: OpenResponses): Facts {
  const itemId = textAt(event, 'item_id');
  const callId = textAt(event, 'call_id');
  if (itemId === undefined || responseId === undefined || callId === undefined) return undefined;
  const response = open.open(responseId);
  const name = textAt(event, 'name') ?? response.callNames.get(itemId);
  if (name === undefined) return undefined;
  return tellOnce({ callId, itemId, name, rawArgs: textAt(event, 'arguments') ?? '' }, responseId, response);
}

function tellOnce(call: WireToolCall, responseId: string, response: OpenResponse): Facts {
  if (response.toldCalls.has(call.callId)) return undefined;
  response.toldCalls.add(call.callId);
  return [{ type: 'toolCall.requested', responseId, ...call }];
}

/** Which of our requests an answer belongs to, and whether it is out-of-band. */
function belonging(
  response: JsonRecord,
  requestId: string | undefined,
): { readonly requestId?: string; readonly outOfBand?: boolean } {
  return {
    ...optional('requestId', requestId),
    ...(response['conversation_id'] === null ? { outOfBand: true } : {}),
  };
}

function statusOf(
  response: JsonRecord,
  secrets: readonly (string | undefined)[],
): {
  readonly status: ResponseStatus;
  readonly reason?: string;
  readonly error?: { readonly code: string; readonly message: string };
} {
  const told = textAt(response, 'status');
  const details = recordOf(response['status_details']);
  const error = recordOf(details?.['error']);
  const status =
    told === 'cancelled' || told === 'incomplete' || told === 'failed'
      ? told
      : error === undefined
        ? 'completed'
        : 'failed';
  return {
    status,
    ...optional('reason', textAt(details, 'reason')),
    ...(error === undefined
      ? {}
      : {
          error: {
            code: textAt(error, 'code') ?? textAt(error, 'type') ?? 'unknown',
            message: redact(textAt(error, 'message') ?? 'The answer failed.', secrets),
          },
        }),
  };
}

/** A finished call in an output item; undefined for any other item and for a call that was cut off. */
function callOf(item: JsonRecord | undefined, response: OpenResponse | undefined): WireToolCall | undefined {
  if (textAt(item, 'type') !== 'function_call' || textAt(item, 'status') === 'incomplete') return undefined;
  const itemId = textAt(item, 'id') ?? '';
  const callId = textAt(item, 'call_id');
  const name = textAt(item, 'name') ?? response?.callNames.get(itemId);
  if (callId === undefined || name === undefined) return undefined;
  return { callId, itemId, name, rawArgs: textAt(item, 'arguments') ?? '' };
}
