// Values of the command line and the environment as messages may show them: without keys. Called by the checks of both.

/** Longest value that is quoted: keys are longer. */
const maxQuoted = 40;

/** The value in quotes; a URL without password, query and fragment; only the length of what may be a key. */
export function shownValue(value: string): string {
  if (URL.canParse(value) && value.includes('://')) return `"${shownURL(value)}"`;
  if (value.length > maxQuoted || /^(?:sk|pk|rk|gsk|xai|key)[-_]/i.test(value))
    return `a text of ${value.length} characters`;
  return `"${value.replace(/\/\/[^/@]*@/, '//…@')}"`;
}

/** A URL without name, password, query and fragment, which may contain keys. */
export function shownURL(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/$/, '')}`;
}
