// Removes keys from text that people will read, and finds them in errors. Called wherever a provider is quoted.

const masked = '[redacted]';

// Known key shapes. A digit or the length tells them from words; `*` because providers mask the keys they echo.
const keyShapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk|ak|gsk|csk|xai|pplx|nvapi|hf|r8|ghp|gho|glpat|key)[-_](?=[\w.-]*[\d*]|[\w.-]{20})[\w*.-]*[\w*]{6,}/g,
  /\bAIza[\w-]{20,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
];
// What follows a word for a key; the word itself stays.
const namedKeys: readonly RegExp[] = [
  /(\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#@"']+(?=@)/gi, // name and password in an address
  /\b((?:bearer|basic)\s+)(?=\S*\d)[\w.~+/*-]{6,}=*/gi,
  /(\b(?:x-)?(?:api[-_ ]?key|access[-_]?token|auth[-_]?token|secret|password)[\\"']*\s*[:=]\s*[\\"']*)[^\s\\"',;}&]{6,}/gi,
];

/** The text with everything that is, or looks like, a key replaced by `[redacted]`. */
export function redact(text: string, secrets: readonly (string | undefined)[] = []): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= 4) clean = clean.replaceAll(secret, masked);
  }
  for (const shape of keyShapes) clean = clean.replace(shape, masked);
  for (const named of namedKeys) clean = clean.replace(named, (_, word: string) => `${word}${masked}`);
  return clean;
}

/** True if any field, header or cause of the value is, or looks like, a key, and for values that cannot be read. */
export function quotesKey(value: unknown, secrets: readonly (string | undefined)[] = []): boolean {
  const seen = new Set<unknown>();
  const isIn = (part: unknown, depth: number): boolean => {
    if (typeof part === 'string') return redact(part, secrets) !== part;
    if (typeof part !== 'object' || part === null || seen.has(part)) return false;
    if (depth > maxDepth || seen.size > maxParts) return true; // nobody can say what it holds
    seen.add(part);
    if (ArrayBuffer.isView(part)) return false;
    // The fields of headers, maps and sets are not properties.
    const entries = part instanceof Headers || part instanceof Map || part instanceof Set ? [...part] : [];
    return (
      entries.some((entry) => isIn(entry, depth + 1)) ||
      Reflect.ownKeys(part).some((key) => isIn(Reflect.get(part, key), depth + 1))
    );
  };
  try {
    return isIn(value, 0);
  } catch {
    return true; // a hostile getter: as above
  }
}

const maxDepth = 20;
const maxParts = 10_000;

/** An address without name, password, query and fragment, which may hold keys. */
export function shownAddress(address: string): string {
  try {
    const url = new URL(address);
    if (url.username + url.password + url.search + url.hash === '') return address;
    return `${url.protocol}//${url.host}${url.pathname}`;
  } catch {
    return redact(address); // a custom client may use something other than a URL
  }
}

/** The keys in headers and in an address, found by their names. */
export function secretsIn(
  headers: Readonly<Record<string, unknown>> | undefined,
  address?: unknown,
): readonly string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (typeof value !== 'string' || !secretName.test(name)) continue;
    secrets.push(value, ...value.split(/[\s;,]+/).map((part) => part.replace(/^[\w.-]+=/, '')));
  }
  if (typeof address === 'string' && URL.canParse(address)) {
    const { password, searchParams } = new URL(address);
    secrets.push(password, decoded(password));
    for (const [name, value] of searchParams) if (secretName.test(name)) secrets.push(value);
  }
  return secrets.filter((secret) => secret.length >= 8);
}

const secretName = /key|auth|token|secret|cookie|password|credential|sig|subscription/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
