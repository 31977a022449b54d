// Takes keys out of text that people will read. Called wherever a provider's words are quoted.

const masked = '[redacted]';

// Known key shapes, told from words by a digit or their length; `*` because providers mask the keys they echo.
const keyShapes: readonly RegExp[] = [
  /\b(?:sk|pk|rk|ak|gsk|csk|xai|pplx|nvapi|hf|r8|ghp|gho|glpat|key)[-_](?=[\w.-]*[\d*]|[\w.-]{20})[\w*.-]*[\w*]{6,}/g,
  /\bAIza[\w-]{20,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
];
// What follows the word for a key: the word stays.
const namedKeys: readonly RegExp[] = [
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
