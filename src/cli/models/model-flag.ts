// Reads the value of --model. Called by arguments.ts.

import { shownValue } from '../shown-value.ts';

/** The model named by --model. */
export type ModelFlag =
  | { readonly provider: 'anthropic' | 'openai'; readonly id: string }
  | { readonly provider: 'server'; readonly baseURL: string; readonly id: string };

const forms = 'anthropic:<id>, openai:<id> or <base URL>#<id>';

/** Throws an Error with one readable sentence for an invalid value. */
export function modelFlag(text: string): ModelFlag {
  const named = /^(anthropic|openai):(?!\/\/)(.+)$/s.exec(text);
  if (named?.[2] !== undefined) return { provider: named[1] === 'anthropic' ? 'anthropic' : 'openai', id: named[2] };
  const at = text.indexOf('#');
  const id = text.slice(at + 1);
  const url =
    at > 0 && /^https?:\/\//i.test(text) && URL.canParse(text.slice(0, at)) ? new URL(text.slice(0, at)) : undefined;
  if (url === undefined || id === '') throw new Error(`--model needs ${forms}, got ${shownValue(text)}`);
  if (url.username !== '' || url.password !== '')
    throw new Error('--model must not contain a key or password; set OPENAI_BASE_URL and OPENAI_API_KEY instead');
  return { provider: 'server', baseURL: normalized(url), id };
}

/** The address of an API without a trailing slash. Without a path it gets `/v1`, where nearly every server has it. */
export function normalized(url: URL): string {
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? '/v1' : path}${url.search}`;
}
