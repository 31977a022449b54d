// Which model is picked, and which host sees which key: over real HTTP against servers on loopback.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { chooseModel } from '../../../src/cli/models/choose-model.ts';
import { localServers } from '../../../src/cli/models/local-servers.ts';
import { modelFlag } from '../../../src/cli/models/model-flag.ts';

interface Seen {
  readonly path: string;
  readonly key: string | undefined;
}

/** A server that answers these paths with JSON, the value `null` never, and everything else with 404. */
async function serverOf(answers: { readonly [path: string]: unknown }) {
  const seen: Seen[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const path = request.url ?? '';
    seen.push({ path, key: request.headers.authorization });
    if (answers[path] === null) return;
    response.writeHead(path in answers ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[path] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { port, url: `http://127.0.0.1:${port}`, seen };
}

const models = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ id })) });
const choose = async (env: NodeJS.ProcessEnv, flag?: string) => {
  const parsed = flag === undefined ? undefined : modelFlag(flag);
  const { model, why } = await chooseModel({
    flag: parsed,
    env: { TURNCHART_PROBE: '', ...env },
    seed: 1,
    paceMs: 0,
  });
  return { id: model.id, why, model };
};

describe('chooseModel, by what is set', () => {
  test('prefers Anthropic’s key to OpenAI’s, and a key to a server', async () => {
    expect(await choose({ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' })).toMatchObject({
      id: 'anthropic:claude-sonnet-5',
      why: 'ANTHROPIC_API_KEY is set',
    });
    expect(await choose({ OPENAI_API_KEY: 'b', ANTHROPIC_API_KEY: ' ' })).toMatchObject({
      id: 'openai:gpt-5.4',
      why: 'OPENAI_API_KEY is set',
    });
  });

  test('asks the server of OPENAI_BASE_URL for its first model that talks', async () => {
    const { url, seen } = await serverOf({ '/v1/models': models('text-embedding-3', 'llama3.2') });
    expect(await choose({ OPENAI_BASE_URL: `${url}/v1/`, OPENAI_API_KEY: 'b' })).toMatchObject({
      id: 'openai:llama3.2',
      why: `OPENAI_BASE_URL is set, at ${url}/v1`,
    });
    expect(seen).toEqual([{ path: '/v1/models', key: 'Bearer b' }]);
  });

  test('says what to do when that server lists none, or the address is none', async () => {
    const { url } = await serverOf({ '/v1/models': models() });
    await expect(choose({ OPENAI_BASE_URL: url })).rejects.toThrow(
      `${url}/v1 (OPENAI_BASE_URL) lists no models; name one with --model openai:<id>`,
    );
    await expect(choose({ OPENAI_BASE_URL: 'nowhere' })).rejects.toThrow('OPENAI_BASE_URL is not a URL');
  });

  test('falls back to the demo model', async () => {
    expect(await choose({})).toMatchObject({
      id: 'demo model (scripted, no AI)',
      why: 'it needs no key and no network',
    });
  });
});

describe('chooseModel, by the flag', () => {
  test('the flag wins over every key', async () => {
    const env = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' };
    expect((await choose(env, 'openai:o9')).id).toBe('openai:o9');
    expect((await choose(env, 'anthropic:claude-x')).id).toBe('anthropic:claude-x');
    expect(await choose(env, 'http://localhost:9#a/b:c')).toMatchObject({
      id: 'openai:a/b:c',
      why: 'named by --model, at http://localhost:9/v1',
    });
  });

  test('OpenAI without a key is reported at once', async () => {
    await expect(choose({}, 'openai:o9')).rejects.toThrow('openai:o9 needs a key: set OPENAI_API_KEY');
  });

  test.for(['gpt', 'openai:', 'ftp://x#y', 'http://x', 'http://x#', '#y', 'https://key@host/v1#y'])(
    'refuses %s',
    (text) => {
      expect(() => modelFlag(text)).toThrow(/^--model (?:needs anthropic:<id>|must not contain a key)/);
    },
  );

  test('does not repeat a password in its complaint', () => {
    expect(() => modelFlag('https://user:secret@host/v1')).toThrow(/^(?!.*secret)/);
  });
});

describe('a key goes only where it was set for', () => {
  const call = async (env: NodeJS.ProcessEnv, flag: string) => {
    const { model } = await choose(env, flag);
    const request = { system: [], messages: [], tools: [] };
    const read = async () => {
      for await (const _ of model.stream(request, { signal: new AbortController().signal }));
    };
    await expect(read()).rejects.toMatchObject({ status: 404 });
  };

  test('not to another server than OPENAI_BASE_URL names', async () => {
    const [own, other] = [await serverOf({}), await serverOf({})];
    const env = { OPENAI_API_KEY: 'secret-b', OPENAI_BASE_URL: `${own.url}/v1` };
    await call(env, `${other.url}#m`);
    await call(env, `${own.url}/v1#m`);
    await call(env, 'openai:m');
    expect(other.seen.map(({ key }) => key)).toEqual(['Bearer none']);
    expect(own.seen.map(({ key }) => key)).toEqual(['Bearer secret-b', 'Bearer secret-b']);
  });

  test('not to OpenAI when it was set for another server', async () => {
    await expect(
      choose({ OPENAI_API_KEY: 'b', OPENAI_BASE_URL: 'http://localhost:9/v1' }, 'https://api.openai.com/v1#m'),
    ).rejects.toThrow('needs a key');
  });

  test('not to a server that was found', async () => {
    const found = await serverOf({ '/v1/models': models('m') });
    await choose({ TURNCHART_PROBE: `vllm:${found.port}` });
    expect(found.seen).toEqual([{ path: '/v1/models', key: undefined }]);
  });
});

describe('the probe', () => {
  test('takes the first server of the list that answers, past silent, absent and foreign ones', async () => {
    const silent = await serverOf({ '/v1/models': null });
    const foreign = await serverOf({ '/v1/models': { hello: 'world' } });
    const embedding = await serverOf({ '/v1/models': models('nomic-embed-text') });
    const [first, second] = [
      await serverOf({ '/v1/models': models('a') }),
      await serverOf({ '/v1/models': models('b') }),
    ];
    const list = [silent, foreign, embedding, first, second].map(({ port }) => `lmstudio:${port}`).join(',');
    expect(await choose({ TURNCHART_PROBE: list })).toMatchObject({
      id: 'openai:a',
      why: `LM Studio is running here, at ${first.url}/v1`,
    });
  });

  test('takes a model of Ollama only if it can call tools', async () => {
    const ollama = await serverOf({
      '/v1/models': models('plain'),
      '/api/show': { capabilities: ['completion'] },
    });
    expect((await choose({ TURNCHART_PROBE: `ollama:${ollama.port}` })).id).toBe('demo model (scripted, no AI)');
    const able = await serverOf({ '/v1/models': models('able'), '/api/show': { capabilities: ['tools'] } });
    expect(await choose({ TURNCHART_PROBE: `ollama:${able.port}` })).toMatchObject({
      id: 'openai:able',
      why: `Ollama is running here, at ${able.url}/v1`,
    });
  });

  test('is not asked when a key is set', async () => {
    const server = await serverOf({ '/v1/models': models('m') });
    await choose({ OPENAI_API_KEY: 'b', TURNCHART_PROBE: `vllm:${server.port}` });
    expect(server.seen).toEqual([]);
  });

  test.for([
    [{}, [11_434, 1_234, 8_080, 8_000]],
    [{ OLLAMA_HOST: '0.0.0.0:11500' }, [11_500, 1_234, 8_080, 8_000]],
    [{ OLLAMA_HOST: 'http://localhost:9' }, [9, 1_234, 8_080, 8_000]],
    [{ OLLAMA_HOST: 'gpu.example:9' }, [11_434, 1_234, 8_080, 8_000]],
    [{ TURNCHART_PROBE: '' }, []],
    [{ TURNCHART_PROBE: 'vllm:5, nope:6,ollama:x,llamacpp:70000' }, [5]],
  ] as const)('looks with %j at %j', ([env, ports]) => {
    expect(localServers(env).map(({ port }) => port)).toEqual(ports);
  });
});
