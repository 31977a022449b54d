// The page of the chat: streams the answer, steers while it comes, cancels, decides about approvals.

import { useEffect, useReducer, useRef, useState, type FormEvent } from 'react';
import { createRoot } from 'react-dom/client';
import { textOf, type Message } from '../../src/index.ts';
import { emptyChat, reduceChat, type ChatEvent, type ChatState, type PendingApproval } from './chat-state.ts';

function Chat() {
  const [state, dispatch] = useReducer(reduceChat, emptyChat);
  const [isConnected, setConnected] = useState(false);

  // #region events
  useEffect(() => {
    // The browser reconnects by itself and names the last event it has seen.
    const source = new EventSource('/events');
    source.onopen = () => setConnected(true);
    source.onerror = () => setConnected(false);
    source.onmessage = ({ data }: MessageEvent<string>) => dispatch(JSON.parse(data) as ChatEvent);
    return () => source.close();
  }, []);
  // #endregion events

  return (
    <main>
      <Messages state={state} />
      {state.approvals.map((approval) => (
        <Question key={approval.callId} approval={approval} />
      ))}
      {state.note !== '' && <small role="status">{state.note}</small>}
      {!isConnected && <small role="status">Connecting …</small>}
      <Composer isRunning={state.isRunning} />
    </main>
  );
}

function Messages({ state }: { readonly state: ChatState }) {
  const end = useRef<HTMLLIElement>(null);
  const partial = state.partial.join('');
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  }, [state.messages.length, partial]);
  return (
    <ol aria-live="polite">
      {state.messages.map((message) => (
        <Said key={message.id} message={message} state={state} />
      ))}
      {partial !== '' && <li className="assistant">{partial}</li>}
      <li ref={end} hidden />
    </ol>
  );
}

const marks = { steered: '↪ joined the running turn', late: '⏎ waits for the next turn' };

function Said({ message, state }: { readonly message: Message; readonly state: ChatState }) {
  if (message.role === 'tool') return null; // shown beside their calls
  const text = withoutFrame(message);
  const mark = state.marks[message.id];
  const calls = message.content.filter((block) => block.type === 'toolCall');
  return (
    <>
      {text !== '' && (
        <li className={message.role}>
          {text}
          {mark !== undefined && <small>{marks[mark]}</small>}
        </li>
      )}
      {calls.map(({ id, name }) => (
        <li key={id} className="call">
          {name}: {state.calls[id]?.status ?? 'waiting'}
        </li>
      ))}
    </>
  );
}

/** What the user wrote: a steered message has a line for the model in front, counted in `meta.frame`. */
function withoutFrame(message: Message): string {
  const frame = message.meta?.['frame'];
  return textOf({ ...message, content: message.content.slice(typeof frame === 'number' ? frame : 0) });
}

function Question({ approval }: { readonly approval: PendingApproval }) {
  const decide = (allow: boolean) => void post('/approvals', { callId: approval.callId, allow });
  return (
    <section className="approval" aria-label={`May ${approval.tool} run?`}>
      May {approval.tool} run?
      <pre>{JSON.stringify(approval.preview, null, 2)}</pre>
      <button onClick={() => decide(true)}>Allow</button> <button onClick={() => decide(false)}>Deny</button>
    </section>
  );
}

function Composer({ isRunning }: { readonly isRunning: boolean }) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === '') return;
    void post('/messages', { id: `tab-${crypto.getRandomValues(new Uint32Array(3)).join('-')}`, text });
    setText('');
  };
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Message"
        autoComplete="off"
        placeholder={isRunning ? 'Steer …' : 'Message'}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <button>{isRunning ? 'Steer' : 'Send'}</button>
      <button type="button" disabled={!isRunning} onClick={() => void post('/cancel', {})}>
        Cancel
      </button>
    </form>
  );
}

/** Sends until there is an answer: the message's id makes a second try harmless. */
async function post(path: string, body: object): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (response.status < 500) return;
    } catch {
      // not connected
    }
    await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
  }
}

const root = document.querySelector('#root');
if (root !== null) createRoot(root).render(<Chat />);
