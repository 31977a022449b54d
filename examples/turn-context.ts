// A transformer completes the turn context that tools and approvals read.

import { createEngine, createOperative, defineTool, type ToolContext, type Transformer } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const userOf = (token: string): Promise<string> => Promise.resolve(token === 'token-of-ann' ? 'Ann' : 'somebody');
const model = scriptedModel([{ calls: [{ name: 'whoami', args: {} }] }, { text: 'Done.' }]);

// #region turn-context
interface Caller {
  readonly token: string;
  readonly user?: string; // known after `identify`
}

/** Looks up who is asking, once per turn. */
const identify: Transformer<Caller | undefined> = {
  name: 'identify',
  async beforeTurn(_, { turnContext }) {
    if (turnContext === undefined) return;
    return { turnContext: { ...turnContext, user: await userOf(turnContext.token) } };
  },
};

const whoami = defineTool({
  name: 'whoami',
  description: 'Says who is asking.',
  parameters: { type: 'object', properties: {} },
  execute: (_, { turnContext }: ToolContext<Caller | undefined>) => turnContext?.user ?? 'somebody',
});
// #endregion turn-context

const operative = createOperative({ engine: createEngine({ model, tools: [whoami], transformers: [identify] }) });
const { events } = await operative.submit('Who am I?', { turnContext: { token: 'token-of-ann' } });
for await (const event of events) {
  if (event.type === 'toolCall.settled') console.log(JSON.stringify(event.result.content));
}
await operative.close();
