// The point of an operative: a message sent while a turn runs reaches the model before its next call.

// #region program
import { createEngine, createOperative } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';

const model = scriptedModel([{ text: 'All errors: three.' }, { text: 'Since Monday: one.' }]); // runs without a key
// #region steering
const operative = createOperative({ engine: createEngine({ model }) });
const first = await operative.submit('Summarise the errors in the logs.');
const second = await operative.submit('Only those since Monday, please.');
console.log(first.outcome, second.outcome); // startedTurn injected
for await (const event of first.events) {
  if (event.type === 'text.delta') process.stdout.write(event.text);
  if (event.type === 'message.injected') console.log('\n↪ steered');
}
console.log('\n', await second.delivery); // { status: 'answered', turnId: …, iteration: … }
// #endregion steering
await operative.close();
// #endregion program
