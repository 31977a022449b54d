// Two kinds of subagents: researchers that work in parallel, and a reviewer that sees only what it is given.

// #region agents
import { agentTool, createEngine, createOperative, defineTool } from '../src/index.ts';

const agents = agentTool({
  researcher: {
    description: 'Finds facts in the archive and answers with its sources.',
    systemPrompt: 'You research one question. Name a source for every fact.',
    engine: () => ({ model: small, tools: [search], maxIterations: 10 }), // a complete recipe, made at each spawn
  },
  reviewer: {
    description: 'Reads a text and names what is not supported by a source.',
    systemPrompt: 'You review texts. You look nothing up.',
    engine: () => ({ model: small }),
  },
});
// #endregion agents

import { textOf, type JsonValue } from '../src/index.ts';
import { scriptedModel, type ScriptedStep } from '../src/testing/index.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches the archive.',
  parameters: { type: 'object', properties: { words: { type: 'string' } }, required: ['words'] },
  isConcurrencySafe: true,
  execute: (args) => `One hit for ${JSON.stringify(args)}: box 7.`,
});

const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 20 } });

// What a real model would decide, written down.
const small = scriptedModel(({ messages }): ScriptedStep => {
  const asked = textOf(messages[0] ?? { id: '', role: 'user', content: [] });
  if (asked.startsWith('Review')) return { text: 'All is supported by box 7.', ...usage(200) };
  if (messages.length === 1) return { calls: [{ name: 'search', args: { words: asked } }], ...usage(100) };
  return { text: `${asked.replace('?', '')}: yes (box 7).`, ...usage(150) };
});

const agent = (subagent_type: string, prompt: string) => ({ name: 'Agent', args: { subagent_type, prompt } });
const large = scriptedModel([
  {
    calls: [agent('researcher', 'Was the mill built in 1870?'), agent('researcher', 'Did it burn down?')],
    ...usage(1_000),
  },
  { calls: [agent('reviewer', 'Review: built in 1870, burnt down later (box 7).')], ...usage(1_200) },
  { text: 'The mill was built in 1870 and burnt down later (box 7).', ...usage(1_300) },
]);

// #region run
const operative = createOperative({ engine: createEngine({ model: large, tools: [agents] }) });
const { events } = await operative.submit('What became of the old mill?');

for await (const event of events) {
  if (event.type === 'toolCall.progress') console.log(lineOf(event.update)); // what the subagents do, in short
  if (event.type === 'turn.completed') {
    const { inputTokens, subagents = [] } = event.usage;
    console.log(event.message === undefined ? '' : textOf(event.message));
    console.log(
      `${inputTokens} tokens of its own, ${subagents.map((own) => own.inputTokens).join(' + ')} of its subagents`,
    );
  }
}
await operative.close();
// #endregion run

function lineOf(update: JsonValue): string {
  const { agent: name, event, tool, text, reason } = update as Readonly<Record<string, string>>;
  return `  ${name}: ${[event, tool ?? text ?? reason].join(' ')}`;
}
