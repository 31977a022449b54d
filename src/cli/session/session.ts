// A stored conversation: opens it for this process alone and saves it at every step. Opened by main.ts.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeConversation, encodeConversation } from '../../codec/index.ts';
import {
  createConversation,
  repair,
  type Conversation,
  type Message,
  type Operative,
  type OperativeEvent,
  type ToolResultBlock,
} from '../../index.ts';
import { takeLock } from './lock.ts';
import { storedConversation } from './stored-conversation.ts';
import { createTranscriptWriter } from './transcript-writer.ts';

/** A session of this process. */
export interface Session {
  readonly name: string;
  readonly path: string;
  /** For the operative. Repaired: calls whose results were lost in a crash have `interrupted` results. */
  readonly conversation: Conversation;
  /** What was repaired, one sentence each; empty if nothing was. */
  readonly repaired: readonly string[];
  /** Saves what the operative does from now on. */
  readonly follow: (operative: Operative) => void;
  /** To be called with each message before it is submitted: it is stored at once, whatever happens to it later. */
  readonly accept: (message: Message) => void;
  /** Resolves when everything up to now is on the disk, or could not be written. */
  readonly saved: () => Promise<void>;
  /** Releases the lock. May be called at any time, also while the process exits. */
  readonly release: () => void;
}

/** An opened session, or one sentence why it cannot be opened. */
export type SessionOutcome = { readonly session: Session } | { readonly refused: string };

/** Opens the session or begins a new one. `onFault` is called at the first write that fails. */
export async function openSession(
  name: string,
  folder: string,
  onFault: (message: string) => void,
): Promise<SessionOutcome> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${name}.json`);
  const lock = await takeLock(join(folder, `${name}.lock`));
  if (!lock.held) return { refused: `session "${name}" is in use: ${lock.why}` };
  try {
    const { conversation, repaired } = load(path);
    return { session: sessionOn({ name, path, conversation, repaired, release: lock.release }, onFault) };
  } catch (fault) {
    lock.release();
    return { refused: `session "${name}" cannot be read from ${path}: ${messageOf(fault)}` };
  }
}

function load(path: string): { readonly conversation: Conversation; readonly repaired: readonly string[] } {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (fault) {
    if (fault instanceof Error && Reflect.get(fault, 'code') === 'ENOENT')
      return { conversation: createConversation(), repaired: [] };
    throw fault;
  }
  return repair(decodeConversation(text));
}

type Opened = Pick<Session, 'name' | 'path' | 'conversation' | 'repaired' | 'release'>;

function sessionOn(opened: Opened, onFault: (message: string) => void): Session {
  const { path, conversation } = opened;
  let results: ToolResultBlock[] = [];
  let accepted: Message[] = [];
  let hasFailed = false;
  const writer = createTranscriptWriter({
    path,
    text: () => encodeConversation(storedConversation(conversation, { results, accepted })),
    onFault(fault) {
      if (!hasFailed) onFault(`the session cannot be saved to ${path}: ${messageOf(fault)}`);
      hasFailed = true;
    },
  });
  let latest = Promise.resolve();
  const save = (): void => {
    latest = writer.save();
  };
  const note = (event: OperativeEvent): void => {
    switch (event.type) {
      case 'message.appended':
        accepted = accepted.filter(({ id }) => id !== event.message.id);
        if (event.message.role !== 'user') results = [];
        return save();
      case 'message.withdrawn':
        accepted = accepted.filter(({ id }) => id !== event.messageId);
        return save();
      case 'toolCall.settled':
        results.push(event.result);
        return save();
      case 'transcript.replaced':
      case 'turn.completed':
        return save();
      default:
        return undefined;
    }
  };
  return {
    ...opened,
    follow: (operative) => void operative.subscribe(note),
    accept(message) {
      accepted.push(message);
      save();
    },
    saved: () => latest,
  };
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault);
}
