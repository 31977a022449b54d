// Turns errors of the file system into words for a model: no host paths, and what to do about it.

/** The code of a Node error, such as `ENOENT`; undefined for anything else. */
export function errorCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'the permissions do not allow it',
  EPERM: 'the operating system does not allow it',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EROFS: 'the file system is read only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'too many files are open; try again',
  ENFILE: 'too many files are open; try again',
  ENAMETOOLONG: 'the name is too long',
  EBUSY: 'it is in use by another program',
  ETXTBSY: 'it is a program that is running',
  EIO: 'the disk reported an error',
  ENXIO: 'it is a device or pipe that nothing serves',
};

/** What went wrong with the path `shown`. Rethrows anything that is not a file system error. */
export function fileErrorText(error: unknown, doing: 'read' | 'written', shown: string): string {
  const code = errorCodeOf(error);
  if (code === undefined) throw error;
  return `${shown} could not be ${doing}: ${words[code] ?? `the file system answered ${code}`}.`;
}
