// Which headers carry secrets, by their names. Pure; called for every header a tool sends. In doubt a header counts as
// secret: only words that merely look alike are let through (author, monkey, tokenizer).

// Read in the words between `-`, `_`, `.` and capitals, also where there are none between them: apikey, accessToken.
const inWord =
  /auth(?!or(?!i[sz]))|cookie|credential|passw|passphrase|passcode|secret(?!ar[iy])|(?<!ob|pos)session|signature|token(?!i[sz]|ology)|bearer|assertion|csrf|xsrf/;
const wholeWord = /^(?:pass|pwd|pat|psk|jwt|sid|sig|otp|totp|hmac|dpop|creds?)$/;
// Not in other words: neither at their end nor at their beginning.
const keyWord =
  /(?<!^(?:mon|don|tur|hoc|joc|whis|lac|mic))key(?!word|board|note|space|frame|stone|pad|press|stroke|up|down)/;
// Keys that open nothing.
const plainKey =
  /(?:^|-)(?:idempotency|cache|partition|sort|surrogate|routing|primary|foreign|public|dedup(?:lication)?|ordering)-?key$/;

/** Whether a header of this name carries a secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/[a-z\d](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g, '$&-')
    .toLowerCase()
    .split(/[^a-z]+/);
  if (plainKey.test(words.join('-'))) return words.some((word) => inWord.test(word) || wholeWord.test(word));
  return words.some((word) => [inWord, wholeWord, keyWord].some((pattern) => pattern.test(word)));
}
