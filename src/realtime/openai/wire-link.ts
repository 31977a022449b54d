// One link: a socket with the codec on both sides. Opened by wire.ts, once for each attempt to connect.

import { modelErrorOf, modelErrorOfReport, type CallFacts } from '../../adapters/http-errors.ts';
import { recordOf } from '../../adapters/json-reading.ts';
import { redact } from '../../adapters/redact.ts';
import { reasonOf } from '../../contracts/errors.ts';
import type { CallControl, WireCommand, WireFact, WireLink, WireReceiver } from '../wire.ts';
import { closeError, type SocketEnd } from './close-error.ts';
import { createEventDecoder } from './decode-event.ts';
import { createFrameDecoder, malformed } from './decode-frame.ts';
import { dialectOf, type Dialect } from './dialect.ts';
import { encodeCommand } from './encode-command.ts';
import { RequestMatcher } from './request-matcher.ts';
import type { OpenSocket, RealtimeSocket, SocketFailure, SocketRequest } from './socket.ts';

/** What a link is opened with. */
export interface LinkOptions {
  /** Key and address are read at each attempt: a key may be short-lived. */
  readonly prepare: () => Promise<{ readonly open: OpenSocket; readonly request: SocketRequest }>;
  /** Read only after a failure: by then the key is known. */
  readonly facts: () => CallFacts;
  /** The call whose side socket this is. */
  readonly callId?: string | undefined;
  readonly call?: ((control: CallControl) => Promise<void>) | undefined;
}

/** Opens a link; reports everything to the receiver, never before it has returned. */
export function openLink(options: LinkOptions, receive: WireReceiver): WireLink {
  const { callId } = options;
  let socket: RealtimeSocket | undefined;
  let dialect: Dialect = 'current';
  let failure: SocketFailure | undefined;
  let wasOpen = false;
  let isUnwanted = false; // we requested the end
  let isOver = false; // `wire.closed` was sent

  const tell = (fact: WireFact): void => {
    if (isOver) return;
    if (fact.type === 'session.created') dialect = dialectOf(recordOf(fact.settings.raw) ?? {});
    if (fact.type !== 'error' || fact.kind !== 'fatal') return receive(fact);
    const { code, message } = fact;
    receive({ ...fact, error: modelErrorOfReport({ codes: [code], message }, options.facts()) });
  };
  const end = (fact: Extract<WireFact, { readonly type: 'wire.closed' }>): void => {
    if (isOver) return;
    isOver = true;
    receive(fact);
  };
  // The server's message may quote our key.
  const secrets = (): readonly (string | undefined)[] => options.facts().secrets ?? [];
  const endOf = ({ code, reason }: Pick<SocketEnd, 'code' | 'reason'>): void => {
    const error = isUnwanted ? undefined : closeError({ code, reason, failure, wasOpen }, options.facts());
    const told = reason === '' ? {} : { reason: redact(reason, secrets()) };
    end({ type: 'wire.closed', code, ...told, ...(error === undefined ? {} : { error }) });
  };
  const requests = new RequestMatcher();
  const decoder = createEventDecoder({ secrets, isSideband: callId !== undefined, requests });
  const read = createFrameDecoder(decoder, tell);

  const connect = async (): Promise<void> => {
    const { open, request } = await options.prepare();
    if (isOver) return;
    socket = open(request, {
      opened() {
        wasOpen = true;
        tell({ type: 'wire.opened' });
        // A side socket's server sends nothing until it has received something.
        if (callId !== undefined) tell({ type: 'session.created', sessionId: callId, settings: {} });
      },
      text: read,
      binary: (frame) => tell(malformed(`a binary frame of ${frame.length} bytes`)),
      failed(told) {
        failure ??= told;
      },
      closed(code, reason) {
        // A side socket lives as long as its call: an orderly close means that the call is over.
        if (callId !== undefined && code === 1000 && wasOpen && !isUnwanted) tell({ type: 'call.ended' });
        endOf({ code, reason });
      },
    });
  };
  connect().catch((thrown: unknown) =>
    end({ type: 'wire.closed', ...(isUnwanted ? {} : { error: modelErrorOf(thrown, options.facts()) }) }),
  );

  return {
    send(command, written) {
      let text: string;
      try {
        text = encodeCommand(command, dialect);
      } catch (thrown) {
        queueMicrotask(() => tell(unsendable(command, thrown)));
        written?.();
        return;
      }
      if (command.type === 'response.create') requests.asked(command.eventId, command.request.outOfBand);
      if (command.type === 'audio.commit') requests.committing(command.eventId);
      if (socket === undefined || isOver) written?.();
      else socket.send(text, written);
    },
    get bufferedBytes() {
      return socket?.bufferedBytes ?? 0;
    },
    get tellsWritten() {
      return socket?.tellsWritten ?? true;
    },
    get ping() {
      const opened = socket;
      return opened?.ping === undefined ? undefined : (answered: () => void) => opened.ping?.(answered);
    },
    ...(options.call === undefined ? {} : { call: options.call }),
    close() {
      isUnwanted = true;
      // Nothing to shake hands with yet.
      if (!wasOpen) abandon();
      else socket?.close();
    },
    terminate() {
      isUnwanted = true;
      abandon();
    },
  };

  function abandon(): void {
    socket?.terminate();
    queueMicrotask(() => endOf({ code: 1006, reason: '' }));
  }
}

/** Options that are not JSON: a cycle, a BigInt. */
function unsendable(command: WireCommand, thrown: unknown): WireFact {
  return {
    type: 'error',
    kind: 'request',
    code: 'unencodable',
    message: `${command.type} was not sent: ${reasonOf(thrown)}. What goes to the server must be JSON.`,
    ...('eventId' in command ? { causedBy: command.eventId } : {}),
  };
}
