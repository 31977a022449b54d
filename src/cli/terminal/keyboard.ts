// Reads keys and pasted text from a terminal in raw mode. The console listens through it.

import { emitKeypressEvents, type Interface } from 'node:readline';
import type { ReadStream } from 'node:tty';
import type { Key } from './line-editor.ts';

/** What is told of the keyboard. */
export interface KeyboardListener {
  readonly onKey: (key: Key) => void;
  /** Pasted text, whole, line ends as \n. */
  readonly onPaste: (text: string) => void;
  /** Nothing more will come: the terminal is gone. */
  readonly onEnd: () => void;
}

/** What is used of standard input. */
export type TerminalInput = Pick<ReadStream, 'setRawMode' | 'on' | 'once' | 'off' | 'pause' | 'resume'> &
  NodeJS.ReadableStream;

/** Milliseconds after which a lone escape byte is the Esc key and no beginning of a sequence. */
const escapeMs = 60;

/**
 * Listens until the returned function is called, which gives the terminal back. Bracketed pastes arrive whole. From a
 * terminal that does not mark them, a Return that has more text right behind it in the same read is taken for a pasted
 * line end, so that half a paste is never sent.
 */
export function listenToKeyboard(input: TerminalInput, listener: KeyboardListener): () => void {
  let pasted: string | undefined;
  let heldReturn: Key | undefined;

  const releaseReturn = (): void => {
    const key = heldReturn;
    heldReturn = undefined;
    if (key !== undefined) listener.onKey(key);
  };
  const onKeypress = (_: string | undefined, key: Key): void => {
    if (key.name === 'paste-start') pasted = '';
    else if (pasted !== undefined) {
      const isInterrupt = key.ctrl === true && key.name === 'c'; // also out of a paste whose end got lost
      if (key.name !== 'paste-end' && !isInterrupt) {
        pasted += key.sequence ?? '';
        return;
      }
      const text = pasted.replaceAll(/\r\n?/g, '\n');
      pasted = undefined;
      listener.onPaste(text);
      if (isInterrupt) listener.onKey(key);
    } else if (heldReturn !== undefined && key.name === 'enter') {
      // the second half of a \r\n
    } else if (isPlainReturn(key)) {
      if (heldReturn !== undefined) listener.onPaste('\n');
      heldReturn = key;
      queueMicrotask(releaseReturn); // runs when all keys of this read have been told
    } else {
      if (heldReturn !== undefined && isText(key)) {
        heldReturn = undefined;
        listener.onPaste('\n');
      } else releaseReturn();
      listener.onKey(key);
    }
  };

  // Only this field of an Interface is read there.
  emitKeypressEvents(input, { escapeCodeTimeout: escapeMs } as unknown as Interface);
  input.on('keypress', onKeypress);
  input.once('end', listener.onEnd);
  input.once('error', listener.onEnd);
  input.setRawMode(true);
  input.resume();
  return () => {
    input.off('keypress', onKeypress);
    input.off('end', listener.onEnd);
    input.setRawMode(false);
    input.pause();
  };
}

function isPlainReturn(key: Key): boolean {
  return key.name === 'return' && key.meta !== true;
}

function isText({ sequence = '', ctrl, meta }: Key): boolean {
  return ctrl !== true && meta !== true && sequence >= ' ' && !sequence.startsWith('\u001B');
}
