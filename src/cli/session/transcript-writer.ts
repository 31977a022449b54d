// Writes each new state of a text to a file, whole or not at all. Made by session.ts.

import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes states of one file in order; states that come while one is written are combined to the latest. */
export interface TranscriptWriter {
  /** Resolves when the current state or a newer one is on the disk, or could not be written. Never rejects. */
  readonly save: () => Promise<void>;
}

/** What a writer needs. */
export interface WriterParts {
  readonly path: string;
  /** Returns the current state. Called when a write begins; may throw. */
  readonly text: () => string;
  /** Called for each failed write. The file keeps its last state, and the next save tries again. */
  readonly onFault: (fault: unknown) => void;
}

/** A writer to the file. Nothing else may write to it meanwhile. */
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

// Atomic: readers, also after a crash, find the old text or the new one.
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

// The rename survives a power failure only once the folder is on the disk, too. Not every system can sync folders.
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
