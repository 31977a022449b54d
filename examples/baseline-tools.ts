// An agent with files and a shell, kept inside one folder.

// #region baseline
import { baselineTools } from '../src/tools/index.ts';

const tools = baselineTools({ cwd: import.meta.dirname, denied: ['**/.env*'] });
// #endregion baseline

import { createEngine, createOperative } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const model = scriptedModel([
  {
    calls: [
      { name: 'Glob', args: { pattern: 'baseline-*.ts' } },
      { name: 'Read', args: { file_path: '../package.json' } },
    ],
  },
  { text: 'One example is about me, and I may not look outside of its folder.' },
]);
const operative = createOperative({ engine: createEngine({ model, tools }) });
const { events } = await operative.submit('Look around.');
for await (const event of events) {
  if (event.type === 'toolCall.settled') console.log(event.call.name, event.result.status);
  if (event.type === 'text.delta') console.log(event.text);
}
await operative.close();
