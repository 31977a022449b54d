// An agent that lives in a page: no server, its tool reads what the page knows. The model is a script; a real one needs
// a `baseURL` of your own server, which adds the key.

import { createEngine, createOperative, defineTool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

const form = document.querySelector('form');
const list = document.querySelector('#said');
const model = scriptedModel([
  { text: 'Let me look.', calls: [{ name: 'notes', args: {} }] },
  ({ messages }) => ({
    text: messages.filter(({ role }) => role === 'user').length > 1 ? 'Only one: milk.' : 'Milk, and bread.',
  }),
]);

// #region agent
const notes = defineTool({
  name: 'notes',
  description: 'Reads the notes of the page.',
  parameters: { type: 'object', properties: {} },
  execute: async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // time to steer
    return localStorage.getItem('notes') ?? 'milk\nbread';
  },
});

const operative = createOperative({ engine: createEngine({ model, tools: [notes] }) });
operative.subscribe((event) => {
  if (event.type === 'text.delta') say('agent', event.text);
  if (event.type === 'toolCall.started') say('tool', event.call.name);
  if (event.type === 'message.injected') say('note', 'your message joined the running turn');
});

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = String(new FormData(form).get('message'));
  form.reset();
  say('you', text);
  // Starts a turn, or steers the one that runs.
  void operative.submit(text).then(({ outcome }) => say('note', outcome));
});
// #endregion agent

function say(who: string, text: string): void {
  const last = list?.lastElementChild;
  if (who === 'agent' && last instanceof HTMLElement && last.dataset['who'] === who) last.append(text);
  else {
    const item = document.createElement('li');
    item.dataset['who'] = who;
    item.textContent = `${who}: ${text}`; // as text: a model's words are no HTML
    list?.append(item);
  }
}
