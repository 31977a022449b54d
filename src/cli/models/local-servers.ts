// Looks for model servers on this machine. Called by choose-model.ts if no model is named.

/** A server that may be running here. */
export interface LocalServer {
  readonly name: string;
  readonly port: number;
}

/** A server that answered, and one of its models. */
export interface FoundModel {
  readonly server: LocalServer;
  readonly baseURL: string;
  readonly id: string;
}

const names: { readonly [key: string]: string } = {
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
};

/** Milliseconds that a server has for all its answers. */
const timeoutMs = 250;

/**
 * Where to look: the default ports of these servers, in order of preference. `OLLAMA_HOST` changes Ollama's if it names
 * this machine. `TURNCHART_PROBE` replaces the list: `ollama:11434,vllm:8000`; empty = nowhere.
 */
export function localServers(env: NodeJS.ProcessEnv): readonly LocalServer[] {
  const list = env['TURNCHART_PROBE'] ?? `ollama:${ollamaPort(env)},lmstudio:1234,llamacpp:8080,vllm:8000`;
  return list.split(',').flatMap((entry) => {
    const [key = '', port = ''] = entry.trim().split(':');
    const name = names[key];
    return name === undefined || !isPort(port) ? [] : [{ name, port: Number(port) }];
  });
}

/** The first server in the list that answers and offers a chat model. Asks all at once, and only this machine. */
export async function findLocalModel(servers: readonly LocalServer[]): Promise<FoundModel | undefined> {
  const found = await Promise.all(servers.map((server) => modelAt(server).catch(() => undefined)));
  return found.find((model) => model !== undefined);
}

/** The ids of a server's models, without those for embeddings, ranking, moderation and speech. */
export async function listedModels(baseURL: string, init: RequestInit): Promise<readonly string[]> {
  const listed = fieldOf(await jsonFrom(`${baseURL}/models`, init), 'data');
  const ids = (Array.isArray(listed) ? listed : []).map((entry: unknown) => fieldOf(entry, 'id'));
  return ids.filter((id) => typeof id === 'string').filter((id) => !/embed|rerank|whisper|tts|moderation/i.test(id));
}

async function modelAt(server: LocalServer): Promise<FoundModel | undefined> {
  const origin = `http://127.0.0.1:${server.port}`;
  const signal = AbortSignal.timeout(timeoutMs);
  const ids = await listedModels(`${origin}/v1`, { signal });
  const id = server.name === names['ollama'] ? await firstWithTools(origin, ids, signal) : ids[0];
  return id === undefined ? undefined : { server, baseURL: `${origin}/v1`, id };
}

// Ollama tells which models can call tools; one that cannot refuses every request with tools.
async function firstWithTools(
  origin: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const able = await Promise.all(
    ids.map(async (model) => {
      const init = { method: 'POST', body: JSON.stringify({ model }), signal };
      const capabilities = fieldOf(await jsonFrom(`${origin}/api/show`, init).catch(() => undefined), 'capabilities');
      return Array.isArray(capabilities) && capabilities.includes('tools');
    }),
  );
  return ids.find((_, index) => able[index]);
}

async function jsonFrom(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

function fieldOf(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined;
}

function ollamaPort(env: NodeJS.ProcessEnv): string {
  const host = env['OLLAMA_HOST'] ?? '';
  const [, name = '', port = ''] = /^(?:https?:\/\/)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?\/?$/.exec(host) ?? [];
  const isHere = ['', 'localhost', '127.0.0.1', '0.0.0.0', '[::1]', '[::]'].includes(name);
  return isHere && isPort(port) ? port : '11434';
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536;
}
