// Refuses names that no file should have or that mean a device, before the file system is asked. Used by the workspace.

const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[. :]|$)/i;

/** Why `name` cannot be a path on this platform, or undefined. */
export function pathFault(name: string, platform: NodeJS.Platform): string | undefined {
  if (name.trim() === '') return 'it is empty';
  if (name.includes('\0')) return 'it holds a NUL character';
  if (!name.isWellFormed()) return 'it holds half of a surrogate pair';
  if (Buffer.byteLength(name) > 4096) return 'it is longer than 4096 bytes';
  const parts = name.split(platform === 'win32' ? /[\\/]/ : '/');
  if (parts.some((part) => Buffer.byteLength(part) > 255)) return 'a part of it is longer than 255 bytes';
  return platform === 'win32' ? windowsFault(name, parts) : undefined;
}

function windowsFault(name: string, parts: readonly string[]): string | undefined {
  if (/^[\\/]{2}[?.][\\/]/.test(name)) return 'device paths are not allowed';
  if (parts.some((part) => deviceName.test(part))) return 'it names a device';
  const rest = /^[a-z]:/i.test(name) ? name.slice(2) : name;
  if (rest.includes(':')) return 'a colon names an alternate data stream';
  return undefined;
}
