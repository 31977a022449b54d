// OpenAI's webhooks: is it really they who tell of a ringing call? Called by the app and by receive-calls.ts.

import { recordOf, listOf, numberAt, textAt, type JsonRecord } from '../../adapters/json-reading.ts';
import { messageOf, TurnchartError } from '../../contracts/errors.ts';
import type { JsonValue } from '../../conversation/json.ts';
import { clientOf, isClient } from './client.ts';
import { optional } from './merge.ts';

/** A webhook as it came in. */
export interface WebhookRequest {
  /** The bytes or the text as received: one that was parsed and written again has another signature. */
  readonly body: string | Uint8Array;
  /** `Headers`, or Node's own. */
  readonly headers: Headers | { readonly [name: string]: string | readonly string[] | undefined };
}

/** How a webhook is checked. */
export interface WebhookOptions {
  /** `whsec_…`. Default: the client's, else `OPENAI_WEBHOOK_SECRET`. */
  readonly secret?: string;
  /** How old or how far ahead it may be. Default 300. */
  readonly toleranceSeconds?: number;
  /** An instance of the SDK. */
  readonly client?: unknown;
}

/** A call that rings. */
export interface IncomingCall {
  readonly callId: string;
  /** In their order; names as the caller wrote them. What they say is the caller's word, not the provider's. */
  readonly sipHeaders: readonly { readonly name: string; readonly value: string }[];
  /** The `From` and `To` headers. */
  readonly from?: string;
  readonly to?: string;
  /** When it began to ring, in milliseconds since the epoch. */
  readonly createdAt?: number;
}

/** What a webhook says, or why it counts for nothing. */
export type VerifiedWebhook =
  | { readonly verified: true; readonly type: 'call.incoming'; readonly call: IncomingCall; readonly event: JsonValue }
  | { readonly verified: true; readonly type: 'other'; readonly event: JsonValue }
  | { readonly verified: false; readonly why: string };

/**
 * Checks signature and age. Answer one that is not verified with 400. Throws `options.invalid` without a secret, and for a
 * body that was parsed.
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
  if (event === undefined) return { verified: false, why: 'the body is no JSON object' };
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
  // Only what is read: Node's own of HTTP/2 hold names that are no header's (`:path`).
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
