// Models over the official SDKs. Nothing is sent before the first call, so this runs without keys.

// #region providers
import { anthropic } from '../src/adapters/anthropic/index.ts';
import { openai } from '../src/adapters/openai/index.ts';

const claude = anthropic({ model: 'claude-sonnet-4-5', thinking: { type: 'enabled', budget_tokens: 4096 } });
const gpt = openai({ model: 'gpt-5', api: 'responses' });
const local = openai({ model: 'qwen3', api: 'chat', baseURL: 'http://localhost:11434/v1', apiKey: 'none' });
// #endregion providers

for (const { id } of [claude, gpt, local]) console.log(id);
