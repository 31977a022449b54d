// The server of the chat: one operative, its events to any number of tabs, their messages back to it.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  createOperative,
  userMessage,
  type Approval,
  type Approve,
  type Engine,
  type Operative,
} from '../../src/index.ts';
import type { ChatEvent, PendingApproval, Snapshot } from './chat-state.ts';

/** How many events a tab can have missed and still go on without a snapshot. */
const keptEvents = 2_000;
/** A tab that does not read is let go; it comes back with the id of the last event it read. */
const maxUnreadBytes = 1_000_000;
const maxBodyBytes = 100_000;
const heartbeatMs = 15_000;

/** What the server serves besides the events. */
export interface ChatFiles {
  readonly html: string;
  readonly script: string;
}

/** A chat that runs. */
export interface Chat {
  readonly server: Server;
  readonly operative: Operative;
  close(): Promise<void>;
}

// #region chat
/** Makes a chat on one conversation. `engine` is made with the approvals that tabs decide about. */
export function createChat(makeEngine: (approve: Approve) => Engine, files: ChatFiles): Chat {
  const approvals = new Map<string, { readonly asked: PendingApproval; readonly decide: (answer: Approval) => void }>();
  const approve: Approve = ({ call, args, preview }, { signal }) =>
    new Promise((resolve) => {
      const asked = { callId: call.id, tool: call.name, preview: preview ?? args };
      const decide = (answer: Approval): void => {
        if (!approvals.delete(call.id)) return;
        publish({ type: 'approval.settled', callId: call.id });
        resolve(answer);
      };
      approvals.set(call.id, { asked, decide });
      signal.addEventListener('abort', () => decide({ allow: false, message: 'Cancelled.' }), { once: true });
      publish({ type: 'approval.asked', approval: asked });
    });

  const operative = createOperative({ engine: makeEngine(approve) });
  const log: { readonly id: number; readonly text: string }[] = [];
  const tabs = new Set<ServerResponse>();
  let lastId = 0;

  operative.subscribe((event) => {
    if (event.type !== 'raw') publish(event);
  });

  function publish(event: ChatEvent): void {
    lastId += 1;
    const text = `id: ${lastId}\ndata: ${JSON.stringify(event)}\n\n`;
    log.push({ id: lastId, text });
    if (log.length > keptEvents) log.shift();
    for (const tab of tabs) send(tab, text);
  }

  function send(tab: ServerResponse, text: string): void {
    if (tab.writableLength > maxUnreadBytes) tab.destroy();
    else tab.write(text);
  }

  /** Brings a tab up to date: by the events it missed, or by a snapshot where they are gone or it is new. */
  function openTab(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    const seen = Number(request.headers['last-event-id'] ?? Number.NaN);
    const canGoOn = seen <= lastId && seen >= (log[0]?.id ?? lastId + 1) - 1;
    if (canGoOn) for (const { id, text } of log) if (id > seen) response.write(text);
    if (!canGoOn) response.write(`id: ${lastId}\ndata: ${JSON.stringify(snapshot())}\n\n`);
    tabs.add(response);
    const heartbeat = setInterval(() => send(response, ': alive\n\n'), heartbeatMs);
    response.on('close', () => {
      clearInterval(heartbeat);
      tabs.delete(response);
    });
  }

  function snapshot(): Snapshot {
    return {
      type: 'snapshot',
      messages: operative.conversation.messages,
      partial: operative.partial() ?? null,
      approvals: [...approvals.values()].map(({ asked }) => asked),
      isRunning: operative.state !== 'idle',
    };
  }
  // #endregion chat

  async function act(path: string, body: { readonly [field: string]: unknown }): Promise<object> {
    if (path === '/messages') {
      // The tab makes the id: a message that is sent twice, because the answer got lost, counts once.
      const text = typeof body['text'] === 'string' ? body['text'] : '';
      if (text.trim() === '') throw new BadRequest('A message needs a text.');
      const id = typeof body['id'] === 'string' && /^[\w-]{8,64}$/.test(body['id']) ? { id: body['id'] } : {};
      const { outcome, messageId } = await operative.submit(userMessage(text, id));
      return { outcome, messageId };
    }
    if (path === '/cancel') return { cancelled: (await operative.cancel()) !== undefined };
    if (path === '/resume') return { outcome: (await operative.resume()).outcome };
    if (path === '/approvals') {
      const pending = approvals.get(String(body['callId']));
      pending?.decide(body['allow'] === true ? { allow: true } : { allow: false, message: 'The user said no.' });
      return { decided: pending !== undefined };
    }
    throw new BadRequest(`There is no ${path}.`);
  }

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      const status = error instanceof BadRequest ? 400 : 500;
      response.writeHead(status).end(error instanceof BadRequest ? error.message : 'The server failed.');
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (request.method === 'GET') {
      if (path === '/events') openTab(request, response);
      else if (path === '/chat.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(files.script);
      else if (path === '/')
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...guards }).end(files.html);
      else response.writeHead(404).end();
      return;
    }
    // Pages of other origins may send forms here, but no JSON, and they say where they come from.
    const isOwn = request.headers.origin === undefined || new URL(request.headers.origin).host === request.headers.host;
    if (!isOwn || request.headers['content-type'] !== 'application/json')
      throw new BadRequest('Expected JSON of this page.');
    const result = await act(path, await bodyOf(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  }

  return {
    server,
    operative,
    close: async () => {
      await operative.close();
      server.closeAllConnections();
      await new Promise<void>((closed) => {
        server.close(() => closed());
      });
    },
  };
}

const guards = {
  'content-security-policy': "default-src 'self'; img-src data:; style-src 'self' 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
};

class BadRequest extends Error {}

async function bodyOf(request: IncomingMessage): Promise<{ readonly [field: string]: unknown }> {
  let text = '';
  for await (const part of request) {
    text += String(part);
    if (text.length > maxBodyBytes) throw new BadRequest(`More than ${maxBodyBytes} characters.`);
  }
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    throw new BadRequest('Expected JSON.');
  }
}
