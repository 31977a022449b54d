// Entry `turnchart/openai`.

export { openai, type OpenAIOptions } from './model.ts';
