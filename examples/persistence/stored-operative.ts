// An operative whose conversation lives in a file. Used by ../persistence.ts.

// #region store
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createOperative, type Conversation, type Engine, type Operative } from '../../src/index.ts';
import { decodeConversation, encodeConversation } from '../../src/codec/index.ts';

/** Writes a second file, flushes it and renames it: a crash leaves either the old text or the new one, whole. */
export async function save(path: string, conversation: Conversation): Promise<void> {
  await writeFile(`${path}.new`, encodeConversation(conversation), { flush: true });
  await rename(`${path}.new`, path);
}

export async function load(path: string): Promise<Conversation> {
  return decodeConversation(await readFile(path, 'utf8'));
}
// #endregion store

// #region operative
export function storedOperative(engine: Engine, path: string, onSaveFailed: (error: unknown) => void) {
  let saved = Promise.resolve(); // settles with the save that was begun last
  const operative: Operative = createOperative({
    engine,
    reloadBeforeStart: async () => {
      // Until the save is done the file lacks the end of the last turn. A save that failed is tried again.
      await saved.catch(() => save(path, operative.conversation));
      return load(path);
    },
  });
  operative.subscribe((event) => {
    if (event.type !== 'message.appended' && event.type !== 'transcript.replaced') return;
    const previous = saved.catch(() => undefined); // one that failed must not stop this one, which stores everything
    saved = previous.then(() => save(path, operative.conversation));
    saved.catch(onSaveFailed);
  });
  return { operative, saved: () => saved };
}
// #endregion operative
