// Short-lived keys for browsers. Called by the app's server.

import type { ClientSecretCreateParams } from 'openai/resources/realtime/client-secrets';
import { encodeSession } from './encode-session.ts';
import type { AnswerOptions } from './calls.ts';
import { clientOf, factsOf, throughClient } from './client.ts';

/** A key that a browser may have. */
export interface ClientSecret {
  /** `ek_…`: the `apiKey` of `openaiRealtime` in the browser. Valid for any number of sessions until it expires. */
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Creates a key for the model and the settings. `expiresAfterSeconds`: 10 to 7200, default 600. Rejects with a
 * `ModelError`.
 */
export async function createClientSecret(
  options: AnswerOptions & { readonly expiresAfterSeconds?: number },
): Promise<ClientSecret> {
  const { model, signal, expiresAfterSeconds } = options;
  const client = await clientOf(options, 'createClientSecret(…)');
  const body = {
    session: { ...encodeSession(options.session ?? {}, { dialect: 'current', purpose: 'update' }), model },
    ...(expiresAfterSeconds === undefined
      ? {}
      : { expires_after: { anchor: 'created_at', seconds: expiresAfterSeconds } }),
  } as unknown as ClientSecretCreateParams; // JSON made for it
  return throughClient(client, factsOf(client, options, model), signal, async ({ realtime }) => {
    const secret = await realtime.clientSecrets.create(body, { ...(signal && { signal }) });
    return { value: secret.value, expiresAt: secret.expires_at * 1000 };
  });
}
