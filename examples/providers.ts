// Models over the official SDKs. Nothing is sent before the first call, so this runs without keys.

// #region providers
import { anthropic } from '../src/adapters/anthropic/index.ts';
import { openai } from '../src/adapters/openai/index.ts';

const claude = anthropic({ model: 'claude-sonnet-5', thinking: { type: 'adaptive' } });
const gpt = openai({ model: 'gpt-5.4', api: 'responses' });
const local = openai({ model: 'qwen3', api: 'chat', baseURL: 'http://localhost:11434/v1', apiKey: 'none' });
// #endregion providers

for (const { id } of [claude, gpt, local]) console.log(id);
