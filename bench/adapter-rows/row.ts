// What a provider brings to the cost measurement, and the floor all of them are measured against.

/** One provider's stream and the ways to read it. */
export interface AdapterRow {
  readonly name: string;
  /** The framed events of an answer of about `count` small text deltas. */
  readonly events: (count: number) => readonly string[];
  /** How many characters of text a reader must find in that many events. */
  readonly characters: (events: number) => number;
  /** Each reads the whole answer through the official SDK and returns the characters of text it found. Must hold `floor` and `ours`. */
  readonly ways: { readonly [name: string]: (fetch: typeof globalThis.fetch) => Promise<number> };
}

/**
 * The least code that reads such a stream: one event a frame, line feeds only, no multi-line data. Not good enough for
 * real servers; it is the yardstick.
 */
export async function* minimalEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    let begin = 0;
    for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n', begin)) {
      const data = buffer.indexOf('data: ', begin);
      if (data >= 0 && data < end) yield JSON.parse(buffer.slice(data + 6, end));
      begin = end + 2;
    }
    buffer = buffer.slice(begin);
  }
}
