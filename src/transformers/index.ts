// Entry `turnchart/transformers`: the default transformers, separately and together.

export { autoCompact, type AutoCompactOptions } from './auto-compact.ts';
export { budgetToolResults, type BudgetToolResultsOptions } from './budget-tool-results.ts';
export { defaultTransformers, type DefaultTransformersOptions } from './default-transformers.ts';
export { snipHistory, type SnipHistoryOptions } from './snip-history.ts';
export { windowHistory } from './window-history.ts';
