// Chooses the command's model: the one named by --model, one whose key is set, one that runs here, or the demo model.
// Called by main.ts, which prints the model and the reason.

import type { Model } from '../../index.ts';
import { demoModel } from '../demo-model.ts';
import { findLocalModel, listedModels, localServers } from './local-servers.ts';
import { normalized, type ModelFlag } from './model-flag.ts';
import { shownURL } from '../shown-value.ts';

/** A model and the reason for it. */
export interface ModelChoice {
  readonly model: Model;
  /** A clause to print after the model's id. */
  readonly why: string;
}

/** What decides the choice. */
export interface ModelWishes {
  readonly flag: ModelFlag | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Of the demo model. */
  readonly seed: number;
  readonly paceMs: number;
}

const anthropicDefault = 'claude-sonnet-5';
const openaiDefault = 'gpt-5.4';
const openaiURL = 'https://api.openai.com/v1';
/** Milliseconds that the server of OPENAI_BASE_URL has to list its models. */
const listMs = 5_000;

/**
 * In this order: the flag; `ANTHROPIC_API_KEY`; `OPENAI_API_KEY` or `OPENAI_BASE_URL`; a server on this machine; the
 * demo model. Rejects with an Error of one sentence if a key is missing or the server of `OPENAI_BASE_URL` lists no model.
 * `OPENAI_API_KEY` is sent only to `OPENAI_BASE_URL`, or to OpenAI if that is not set.
 */
export async function chooseModel({ flag, env, seed, paceMs }: ModelWishes): Promise<ModelChoice> {
  if (flag !== undefined) return flagged(flag, env);
  if (isSet(env['ANTHROPIC_API_KEY'])) return anthropicChoice(anthropicDefault, 'ANTHROPIC_API_KEY is set');
  if (isSet(env['OPENAI_BASE_URL'])) {
    const baseURL = environmentURL(env);
    const id = isOpenAIs(baseURL) ? openaiDefault : await firstListed(baseURL, env);
    return openaiChoice(id, baseURL, env, 'OPENAI_BASE_URL is set');
  }
  if (isSet(env['OPENAI_API_KEY'])) return openaiChoice(openaiDefault, openaiURL, env, 'OPENAI_API_KEY is set');
  const found = await findLocalModel(localServers(env));
  if (found !== undefined) {
    const { server, baseURL, id } = found;
    return serverChoice(id, baseURL, undefined, `${server.name} is running here, at ${baseURL}`);
  }
  return { model: demoModel({ seed, paceMs }), why: 'it needs no key and no network' };
}

async function flagged(flag: ModelFlag, env: NodeJS.ProcessEnv): Promise<ModelChoice> {
  switch (flag.provider) {
    case 'anthropic':
      return anthropicChoice(flag.id, 'named by --model');
    case 'openai':
      return openaiChoice(flag.id, environmentURL(env), env, 'named by --model');
    case 'server':
      return serverChoice(
        flag.id,
        flag.baseURL,
        keyFor(flag.baseURL, env),
        `named by --model, at ${shownURL(flag.baseURL)}`,
      );
  }
}

async function anthropicChoice(id: string, why: string): Promise<ModelChoice> {
  const { anthropic } = await import('../../adapters/anthropic/index.ts');
  return { model: anthropic({ model: id }), why };
}

async function openaiChoice(id: string, baseURL: string, env: NodeJS.ProcessEnv, why: string): Promise<ModelChoice> {
  return serverChoice(id, baseURL, keyFor(baseURL, env), isOpenAIs(baseURL) ? why : `${why}, at ${shownURL(baseURL)}`);
}

async function serverChoice(
  id: string,
  baseURL: string,
  apiKey: string | undefined,
  why: string,
): Promise<ModelChoice> {
  if (apiKey === undefined && isOpenAIs(baseURL)) throw new Error(`openai:${id} needs a key: set OPENAI_API_KEY`);
  const { openai } = await import('../../adapters/openai/index.ts');
  // A placeholder for a missing key, or the SDK would look for one in the environment.
  return { model: openai({ model: id, baseURL, apiKey: apiKey ?? 'none' }), why };
}

async function firstListed(baseURL: string, env: NodeJS.ProcessEnv): Promise<string> {
  const key = keyFor(baseURL, env);
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const [first] = await listedModels(baseURL, { headers, signal: AbortSignal.timeout(listMs) }).catch(() => []);
  if (first !== undefined) return first;
  throw new Error(`${shownURL(baseURL)} (OPENAI_BASE_URL) lists no models; name one with --model openai:<id>`);
}

function keyFor(baseURL: string, env: NodeJS.ProcessEnv): string | undefined {
  const key = env['OPENAI_API_KEY'];
  return isSet(key) && baseURL === environmentURL(env) ? key : undefined;
}

function environmentURL(env: NodeJS.ProcessEnv): string {
  const text = env['OPENAI_BASE_URL'];
  if (!isSet(text)) return openaiURL;
  if (!URL.canParse(text)) throw new Error('OPENAI_BASE_URL is not a URL; it should look like https://host/v1');
  return normalized(new URL(text));
}

function isOpenAIs(baseURL: string): boolean {
  return new URL(baseURL).host === new URL(openaiURL).host;
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}
