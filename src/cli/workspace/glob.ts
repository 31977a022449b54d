// Small glob patterns for the command's own tools: `*`, `**`, `?` and `{a,b}`. workspace-tools.ts uses it.

/**
 * Whether a path with forward slashes fits. A pattern without a slash is tried on the file's name alone. Never throws:
 * what is no wildcard stands for itself.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  const whole = new RegExp(`^${sourceOf(pattern.replace(/^\.?\//, ''))}$`, 'u');
  if (pattern.includes('/')) return (path) => whole.test(path);
  return (path) => whole.test(path.slice(path.lastIndexOf('/') + 1));
}

function sourceOf(pattern: string): string {
  return pattern.replaceAll(/\*\*\/|\*\*|\*|\?|\{[^{}]*\}|[\\^$.|+()[\]{}/-]/g, (token) => {
    if (token === '**/') return '(?:[^/]+/)*';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.length > 1) return `(?:${token.slice(1, -1).split(',').map(sourceOf).join('|')})`;
    return token === '-' || token === '/' ? token : `\\${token}`;
  });
}
