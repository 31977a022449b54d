// A program in a page, as the guide shows it: its actors in our inspector, and in the hosted one beside it.

import { inspectedOperative } from '../../../examples/stately-inspector-page/agent.ts';
import { createEngine, createOperative, type Operative } from '../../../src/index.ts';
import { connectInspector } from '../../../src/inspect/index.ts';
import { scriptedModel } from '../../../src/testing/index.ts';

async function talk(operative: Operative): Promise<void> {
  const { events } = await operative.submit('Hi!');
  for await (const event of events) void event;
}

const model = () => scriptedModel([{ text: 'Hello from a page.' }]);

/** Shows a turn in the inspector of this address; how many messages were lost. */
async function showAt(address: string): Promise<number> {
  const connection = connectInspector(address);
  await talk(createOperative({ engine: createEngine({ model: model(), inspect: connection.inspect }) }));
  await connection.close();
  return connection.dropped;
}

const button = document.createElement('button');
button.textContent = 'Inspect';
button.addEventListener('click', () => void talk(inspectedOperative(model())));
document.body.append(button);
Object.assign(window, { showAt });
