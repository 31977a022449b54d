// Makes names of called tools acceptable to the providers: models invent names, and one bad name in a history fails every
// later request. Called by the encoders.

/** The name, cut to `maxLength`, with everything but letters, digits, "_" and "-" replaced by "_". Never empty. */
export function acceptedToolName(name: string, maxLength: number): string {
  return name.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, maxLength) || 'tool';
}
