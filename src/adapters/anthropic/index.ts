// Entry `turnchart/anthropic`.

export { anthropic, type AnthropicOptions } from './model.ts';
