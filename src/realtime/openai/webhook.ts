// Verifies that a webhook about a ringing call comes from OpenAI. Called by the app and by receive-calls.ts.

import { recordOf, listOf, numberAt, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { messageOf, TurnchartError } from '../../contracts/errors.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { clientOf, isClient } from './client.ts';
import { optional } from './merge.ts';

/** An incoming webhook. */
export interface WebhookRequest {
  /** The bytes or the text as received: a body that was parsed and serialised again does not match its signature. */
  readonly body: string | Uint8Array;
  /** `Headers`, or Node's own. */
  readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined };
}

/** Options of `verifyWebhook`. */
export interface WebhookOptions {
  /** `whsec_…`. Default: the client's, else `OPENAI_WEBHOOK_SECRET`. */
  readonly secret?: string;
  /** How old, or how far in the future, it may be, in seconds. Default 300. */
  readonly toleranceSeconds?: number;
  /** An instance of the SDK. */
  readonly client?: unknown;
}

/** A ringing call. */
export interface IncomingCall {
  readonly callId: string;
  /** In order, with names as the caller wrote them. The caller chooses them: do not trust them. */
  readonly sipHeaders: readonly { readonly name: string; readonly value: string }[];
  /** The `From` and `To` headers. */
  readonly from?: string;
  readonly to?: string;
  /** When it began to ring, in milliseconds since the epoch. */
  readonly createdAt?: number;
}

/** A verified webhook, or why it was not verified. */
export type VerifiedWebhook =
  | { readonly verified: true; readonly type: 'call.incoming'; readonly call: IncomingCall; readonly event: JsonValue }
  | { readonly verified: true; readonly type: 'other'; readonly event: JsonValue }
  | { readonly verified: false; readonly why: string };

/**
 * Checks signature and age. Answer an unverified one with status 400. Throws `options.invalid` without a secret, and
 * for a parsed body.
 */
export async function verifyWebhook(request: WebhookRequest, options: WebhookOptions = {}): Promise<VerifiedWebhook> {
  const secret = secretOf(options);
  if (typeof request.body !== 'string' && !(request.body instanceof Uint8Array)) throw parsedBody();
  const client = await clientOf({ client: options.client, apiKey: 'none' }, 'verifyWebhook(…)'); // no key is needed to check
  const body = typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body);
  let event: JsonRecord | undefined;
  try {
    event = recordOf(await client.webhooks.unwrap(body, headersOf(request.headers), secret, options.toleranceSeconds));
  } catch (thrown) {
    return { verified: false, why: messageOf(thrown) };
  }
  if (event === undefined) return { verified: false, why: 'the body is not a JSON object' };
  const call = textAt(event, 'type') === 'realtime.call.incoming' ? callOf(event) : undefined;
  return call === undefined
    ? { verified: true, type: 'other', event: event as JsonValue } // parsed JSON
    : { verified: true, type: 'call.incoming', call, event: event as JsonValue }; // parsed JSON
}

function secretOf({ secret, client }: WebhookOptions): string {
  const variable = typeof process === 'undefined' ? undefined : process.env?.['OPENAI_WEBHOOK_SECRET'];
  const found = secret ?? (isClient(client) ? client.webhookSecret : undefined) ?? variable;
  if (found !== undefined && found !== null && found !== '') return found;
  throw new TurnchartError(
    'options.invalid',
    'verifyWebhook(…) has no secret. Pass `secret`, or set OPENAI_WEBHOOK_SECRET: it is shown once, where the webhook is made.',
  );
}

function parsedBody(): TurnchartError {
  return new TurnchartError(
    'options.invalid',
    'verifyWebhook({ body }) expects the body as it was received, text or bytes: what was signed. Take it before anything parses it (in Express: express.raw).',
  );
}

function headersOf(given: WebhookRequest['headers']): Headers {
  if (given instanceof Headers) return given;
  const headers = new Headers();
  // Only the needed ones: Node's HTTP/2 headers include names that are not headers (`:path`).
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && /^webhook-/i.test(name))
      headers.set(name, typeof value === 'string' ? value : value.join(', '));
  }
  return headers;
}

function callOf(event: JsonRecord): IncomingCall | undefined {
  const data = recordOf(event['data']);
  const callId = textAt(data, 'call_id');
  if (callId === undefined || callId === '') return undefined;
  const sipHeaders = (listOf(data?.['sip_headers']) ?? []).flatMap((entry) => {
    const header = recordOf(entry);
    const name = textAt(header, 'name');
    const value = textAt(header, 'value');
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  const named = (wanted: string): string | undefined =>
    sipHeaders.find(({ name }) => name.toLowerCase() === wanted)?.value;
  const createdAt = numberAt(event, 'created_at');
  return {
    callId,
    sipHeaders,
    ...optional('from', named('from')),
    ...optional('to', named('to')),
    ...optional('createdAt', createdAt === undefined ? undefined : createdAt * 1000),
  };
}
