// Writes a text to a file again and again, each time whole or not at all, newest state last. session.ts makes one.

import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes whole states of one file in order; while one is written, the next ones become one. */
export interface TranscriptWriter {
  /** Resolves when a state at least as new as now is on the disk, or could not be written. Never rejects. */
  readonly save: () => Promise<void>;
}

/** What a writer is made of. */
export interface WriterParts {
  readonly path: string;
  /** The state now. Asked when a write begins; may throw. */
  readonly text: () => string;
  /** Told of each failed write; the file keeps its last whole state, and the next save tries again. */
  readonly onFault: (fault: unknown) => void;
}

/** A writer to the file; nothing else may write there meanwhile. */
export function createTranscriptWriter({ path, text, onFault }: WriterParts): TranscriptWriter {
  let present: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    try {
      await replaceFile(path, text());
    } catch (fault) {
      onFault(fault);
    }
  };
  const begin = (): Promise<void> => {
    const writing = write().finally(() => {
      if (present === writing) present = undefined;
    });
    present = writing;
    return writing;
  };
  return {
    save() {
      if (present === undefined) return begin();
      next ??= present.then(() => {
        next = undefined;
        return begin();
      });
      return next;
    },
  };
}

// In one step: a reader, also one after a crash, finds the old text or the new one.
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

// After a power failure the new name counts only once its folder is on the disk. Not every system can do that.
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // the file itself is safe
  }
}
