// The SDK's major before works as well: every recording gives the same events and the same errors through both.

import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';
import OlderOpenAI from 'openai-6';
import { describe, expect, test } from 'vitest';
import { openai } from '../../../src/adapters/openai/index.ts';
import { isTurnchartError } from '../../../src/contracts/errors.ts';
import type { ModelRequest, StreamEvent } from '../../../src/contracts/model.ts';
import { userMessage } from '../../../src/conversation/message.ts';
import { readRecordings, replaying, type Recording } from '../recordings.ts';

const request: ModelRequest = { system: [], messages: [userMessage('hello')], tools: [] };
const apis = [
  ['responses', 'openai-responses'],
  ['chat', 'openai-chat'],
] as const;

async function told(client: unknown, api: 'responses' | 'chat'): Promise<readonly (StreamEvent | string)[]> {
  const events: (StreamEvent | string)[] = [];
  try {
    const { signal } = new AbortController();
    for await (const event of openai({ model: 'recorded', api, client }).stream(request, { signal }))
      events.push(event);
  } catch (thrown) {
    if (!isTurnchartError(thrown)) throw thrown;
    events.push(JSON.stringify(thrown));
  }
  return events;
}

function fetchOf(recording: Recording): typeof fetch {
  return replaying(recording, 1).fetch;
}

test('the two SDKs are majors 6 and 7', async () => {
  const versionOf = async (name: string): Promise<string> => {
    const manifest = new URL(`../../../node_modules/${name}/package.json`, import.meta.url);
    return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version;
  };
  expect(await versionOf('openai-6')).toMatch(/^6\./);
  expect(await versionOf('openai')).toMatch(/^7\./);
});

describe.each(apis)('%s', (api, folder) => {
  test.each(readRecordings(folder).map((recording) => [recording.id, recording] as const))(
    '%s',
    async (_id, recording) => {
      const options = { apiKey: 'sk-none', maxRetries: 0 };
      const newer = await told(new OpenAI({ ...options, fetch: fetchOf(recording) }), api);
      const older = await told(new OlderOpenAI({ ...options, fetch: fetchOf(recording) }), api);
      expect(older).toEqual(newer);
      expect(newer.length).toBeGreaterThan(0);
    },
  );
});
