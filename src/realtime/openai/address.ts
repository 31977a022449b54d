// The address and credentials of a session's WebSocket. Called by connect.ts.

import { TurnchartError } from '../../contracts/errors.ts';
import type { SocketRequest } from './socket.ts';

/** A new session with a model, or the control connection (sideband) of a call that runs elsewhere. */
export type Target = { readonly model: string } | { readonly callId: string };

/** Who asks. */
export interface Credentials {
  readonly key: string | undefined;
  /** Azure takes keys in its own header and tokens like everyone else. */
  readonly isToken?: boolean;
  readonly organization?: string | null | undefined;
  readonly project?: string | null | undefined;
  /** Sent in addition; a header of the same name replaces the default one. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The upgrade request. Throws `options.invalid` for a base URL that is not a URL, or whose scheme is not http(s) or
 * ws(s).
 */
export function socketRequest(baseURL: string, target: Target, credentials: Credentials): SocketRequest {
  const url = addressOf(baseURL);
  const isAzure = /\.azure\.(com|us|cn)$/.test(url.hostname);
  const { key, isToken = false, organization, project } = credentials;
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = `${isAzure && !path.endsWith('/v1') ? `${path}/v1` : path}/realtime`;
  for (const name of ['model', 'intent', 'call_id']) url.searchParams.delete(name);
  if ('callId' in target) url.searchParams.set('call_id', target.callId);
  else url.searchParams.set('model', target.model);
  const headers: Record<string, string> = {};
  if (key !== undefined)
    Object.assign(headers, isAzure && !isToken ? { 'api-key': key } : { Authorization: `Bearer ${key}` });
  if (isFilled(organization)) headers['OpenAI-Organization'] = organization;
  if (isFilled(project)) headers['OpenAI-Project'] = project;
  return {
    url: url.href,
    headers: { ...headers, ...credentials.headers },
    protocols: [
      'realtime',
      ...(key === undefined ? [] : [`openai-insecure-api-key.${key}`]), // OpenAI's own name for it: any page can read it
      ...(isFilled(organization) ? [`openai-organization.${organization}`] : []),
      ...(isFilled(project) ? [`openai-project.${project}`] : []),
    ],
  };
}

function addressOf(baseURL: string): URL {
  const scheme = /^(https?|wss?):/i.exec(baseURL)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(baseURL)) {
    throw new TurnchartError(
      'options.invalid',
      'openaiRealtime({ baseURL }) expects an address such as "https://api.openai.com/v1".',
    );
  }
  const url = new URL(baseURL);
  url.protocol = scheme === 'https' || scheme === 'wss' ? 'wss:' : 'ws:';
  url.hash = '';
  return url;
}

function isFilled(value: string | null | undefined): value is string {
  return value !== undefined && value !== null && value !== '';
}
