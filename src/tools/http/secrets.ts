// Which headers carry secrets, and texts without them. Used for everything a tool tells about a request.

const secretName = /auth|cookie|credential|key|passw|secret|session|signature|token/i;
const shortestSecret = 6;

/** Adds what must not be shown of a header: its value, the parts of it that a server may echo alone, and how JSON and addresses write them. */
export function addSecrets(secrets: Set<string>, name: string, value: string): void {
  if (!secretName.test(name)) return;
  const parts = /cookie/i.test(name)
    ? value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    : [value.slice(value.indexOf(' ') + 1), ...nameAndPassword(value)]; // what follows `Bearer`
  for (const part of [value, ...parts]) {
    if (part.length < shortestSecret) continue;
    for (const written of [part, JSON.stringify(part).slice(1, -1), inAddress(part)]) secrets.add(written);
  }
}

/** The text with every secret replaced by `[redacted]`, longer ones first. */
export function withoutSecrets(text: string, secrets: ReadonlySet<string>): string {
  return [...secrets]
    .toSorted((one, other) => other.length - one.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}

/** The message of a failed attempt to make a request, without the header or the address that platforms like to quote there. */
export function withoutQuotes(message: string): string {
  return message
    .replace(/"[^]*" is an invalid header value/, 'The value is an invalid header value')
    .replace(/(Failed to parse URL) from [^]*/, '$1.')
    .replace(/(invalid (?:header )?value):[^]*/i, '$1.')
    .replaceAll(/\/\/[^\s/?#]*@/g, '//[redacted]@');
}

// `Basic` holds both in a form that every server can read, and echo.
function nameAndPassword(value: string): readonly string[] {
  const encoded = /^basic +([\w+/=-]+)$/i.exec(value.trim())?.[1];
  if (encoded === undefined) return [];
  try {
    const both = new TextDecoder().decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)));
    return [both, both.slice(both.indexOf(':') + 1)];
  } catch {
    return []; // not what it says
  }
}

function inAddress(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}
