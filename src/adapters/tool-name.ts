// Names of called tools as the providers take them: models make names up, and one bad name in a history spoils every
// later request. Called by the encoders.

/** The name, or one made of it that only has letters, digits, "_" and "-" and is not too long. */
export function acceptedToolName(name: string, maxLength: number): string {
  return name.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, maxLength) || 'tool';
}
