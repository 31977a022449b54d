// One model call without an engine: a classification with structured output.

// #region import
import { complete, textOf, userMessage } from '../src/index.ts';
// #endregion import
import { scriptedModel } from '../src/testing/index.ts';

const model = scriptedModel([{ text: '{"urgent":true}' }]);

// #region complete
const { message, stopReason } = await complete(model, {
  system: [{ type: 'text', text: 'Is this message urgent?' }],
  messages: [userMessage('The shop is down!')],
  tools: [],
  output: {
    name: 'urgency',
    schema: { type: 'object', properties: { urgent: { type: 'boolean' } }, required: ['urgent'] },
  },
});
console.log(stopReason, textOf(message)); // endTurn {"urgent":true}
// #endregion complete
