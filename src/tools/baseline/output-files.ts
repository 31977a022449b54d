// Files that keep the full output of commands whose output is too long to show. One folder per set of tools.

import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { removeWithHost } from './host-watch.ts';

/** Where output files go. */
export interface OutputFiles {
  /** The folder; it exists once a file was made and is removed when the host program ends. */
  readonly folder: string;
  readonly create: () => OutputFile;
}

/** One file, written as the output arrives. A full disk ends the writing, never the command. */
export interface OutputFile {
  readonly path: string;
  readonly write: (bytes: Buffer) => void;
  /** Closes it. Says what is special about it, or an empty text. */
  readonly close: () => string;
}

const maxFileBytes = 128 * 1024 * 1024;

/** A separate folder, readable by this user only. */
export function createOutputFiles(): OutputFiles {
  const folder = join(tmpdir(), `turnchart-${randomUUID()}`);
  let count = 0;
  return {
    folder,
    create: () => {
      if (count === 0) removeWithHost(folder);
      count += 1;
      return createOutputFile(folder, `output-${count}.txt`);
    },
  };
}

function createOutputFile(folder: string, name: string): OutputFile {
  const path = join(folder, name);
  let written = 0;
  let fault = '';
  let descriptor: number | undefined;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      fault = `it could not be written completely: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    descriptor = openSync(path, 'wx', 0o600);
  });
  return {
    path,
    write: (bytes) => {
      if (descriptor === undefined || fault !== '') return;
      const room = maxFileBytes - written;
      const part = bytes.subarray(0, room);
      const target = descriptor;
      attempt(() => {
        for (let at = 0; at < part.length;) at += writeSync(target, part, at);
      });
      written += part.length;
      if (part.length < bytes.length) fault = `it holds the first ${maxFileBytes} bytes`;
    },
    close: () => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
      return fault;
    },
  };
}
