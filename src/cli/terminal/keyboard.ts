// Reads keys and pasted text from a terminal in raw mode. The console listens through it.

import { emitKeypressEvents, type Interface } from 'node:readline';
import type { ReadStream } from 'node:tty';
import type { Key } from './line-editor.ts';

/** Gets what is typed. */
export interface KeyboardListener {
  readonly onKey: (key: Key) => void;
  /** Pasted text in one piece, with \n as line ends. */
  readonly onPaste: (text: string) => void;
  /** The terminal is gone. */
  readonly onEnd: () => void;
}

/** The part of standard input that is used. */
export type TerminalInput = Pick<ReadStream, 'setRawMode' | 'on' | 'once' | 'off' | 'pause' | 'resume'> &
  NodeJS.ReadableStream;

/** Milliseconds after which a lone escape byte is the Esc key and not the beginning of a sequence. */
const escapeMs = 60;

/**
 * Listens until the returned function is called, which gives the terminal back. Bracketed pastes arrive in one piece.
 * If a terminal does not mark pastes, a Return with more text after it in the same read counts as a pasted line end, so
 * that half a paste is never sent.
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
      const isInterrupt = key.ctrl === true && key.name === 'c'; // also ends a paste whose end mark got lost
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
      queueMicrotask(releaseReturn); // runs after all keys of this read
    } else {
      if (heldReturn !== undefined && isText(key)) {
        heldReturn = undefined;
        listener.onPaste('\n');
      } else releaseReturn();
      listener.onKey(key);
    }
  };

  // emitKeypressEvents reads only this field of an Interface.
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
