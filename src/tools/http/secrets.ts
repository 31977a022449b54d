// Which headers carry secrets, and texts without them. Used for everything a tool tells about a request.

const secretName = /auth|cookie|credential|key|passw|secret|session|signature|token/i;
const shortestSecret = 6;

/** Adds what must not be shown of a header: its value, and the parts of it that a server may echo alone. */
export function addSecrets(secrets: Set<string>, name: string, value: string): void {
  if (!secretName.test(name)) return;
  const parts = /cookie/i.test(name)
    ? value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())
    : [value.slice(value.indexOf(' ') + 1)]; // what follows `Bearer`
  for (const part of [value, ...parts]) if (part.length >= shortestSecret) secrets.add(part);
}

/** The text with every secret replaced by `[redacted]`, longer ones first. */
export function withoutSecrets(text: string, secrets: ReadonlySet<string>): string {
  return [...secrets]
    .toSorted((one, other) => other.length - one.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
