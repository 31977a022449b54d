// The page's line to the inspector. Comes back after a break and asks for what it missed.

/** How the line is. `refused`: another inspector is there now, or none of this address. */
export type LineState = 'connecting' | 'open' | 'away' | 'refused';

/** Starts listening; `take` gets messages, parsed, and how long each was. Returns how to stop. */
export function listen(handlers: {
  readonly take: (message: unknown, size: number) => void;
  readonly tell: (state: LineState) => void;
}): () => void {
  let last = '';
  let retryMs = 250;
  let isStopped = false;
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const connect = () => {
    const url = new URL('./', location.href);
    url.protocol = 'ws:';
    url.searchParams.set('role', 'viewer');
    if (last !== '') url.searchParams.set('after', last);
    handlers.tell('connecting');
    socket = new WebSocket(url);
    socket.onopen = () => {
      retryMs = 250;
      handlers.tell('open');
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') return;
      let message: unknown;
      try {
        message = JSON.parse(data);
      } catch {
        return;
      }
      const id: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'id') : undefined;
      if (typeof id === 'string') last = id;
      handlers.take(message, data.length);
    };
    socket.onclose = () => {
      if (!isStopped) void again();
    };
  };

  const again = async () => {
    handlers.tell('away');
    if (await isRefused()) return handlers.tell('refused');
    timer = setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 2, 5_000);
  };

  connect();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    socket?.close();
  };
}

// A socket does not tell why it was refused; the page's own address does.
async function isRefused(): Promise<boolean> {
  try {
    return !(await fetch(location.href, { method: 'HEAD' })).ok;
  } catch {
    return false; // nobody is there: perhaps again soon
  }
}
