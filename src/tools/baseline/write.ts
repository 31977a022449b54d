// The Write tool: creates a file or replaces its whole content, in the old file's format unless the content says
// otherwise.

import { readLedger, type ReadLedger } from './read-ledger.ts';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { changeFile, createChanger, previewChange, type ChangeOptions, type Decide } from './change-file.ts';
import { fileKind } from './file-kind.ts';
import { lenientArguments } from './lenient-arguments.ts';
import { dominantEnding, endingName, lineBreaksOf, withEndings, withLineFeeds } from './line-endings.ts';
import { detectEncoding, utf8, utf8Mark, type TextCodec } from './text-encoding.ts';

/** Arguments of Write. */
export interface WriteArguments {
  readonly file_path: string;
  readonly content: string;
}

const description = `Writes a file: creates it, or replaces its whole content. Missing folders are made.
- A file that exists must have been read in this conversation first. Prefer Edit for changes.
- A file that exists keeps its encoding, byte order mark and line ends; content with CRLF or CR line ends is written as it is.`;

/** Write: runs alone, needs approval if there is an `approve` function, must not be run again after a crash. */
export function writeTool(options: ChangeOptions): Tool {
  const changer = createChanger(options);
  return defineTool({
    name: 'Write',
    description,
    parameters: lenientArguments<WriteArguments>({
      type: 'object',
      properties: {
        file_path: {
          type: 'string',
          minLength: 1,
          description: 'The file to write: an absolute path, or one relative to the working directory',
        },
        content: { type: 'string', description: 'The whole new content' },
      },
      required: ['file_path', 'content'],
    }),
    isConcurrencySafe: false,
    replay: 'unsafe',
    preview: (args, context) =>
      previewChange(changer, args.file_path, context, decideWrite(args, readLedger(context.session))),
    execute: (args, context) =>
      changeFile(changer, args.file_path, context, decideWrite(args, readLedger(context.session))),
  });
}

function decideWrite(args: WriteArguments, ledger: ReadLedger): Decide {
  return async ({ path, shown, bytes: old }) => {
    const content = args.content.toWellFormed();
    if (old === undefined) {
      const bytes = Buffer.from(content);
      const say = (): string => `Created ${shown} (${lineCount(content)}, ${bytes.length} bytes).`;
      return { type: 'replace', bytes, textBefore: '', textAfter: plain(content), say };
    }
    const codec = fileKind(old).type === 'text' ? await detectEncoding(old, true) : undefined;
    const seen = codec?.view(old.subarray(codec.mark.length)) ?? '';
    const { bytes, note } = inFormatOf(codec, seen, content);
    if (bytes.equals(old)) return { type: 'leave', message: `${shown} already has this content. Nothing was changed.` };
    const unseen = ledger.seen(path)?.isWhole === false ? '\n[Only a part of the old content had been read.]' : '';
    return {
      type: 'replace',
      bytes,
      textBefore: plain(seen),
      textAfter: plain(content.replace(/^\u{FEFF}/u, '')),
      say: (diff) =>
        `Updated ${shown} (+${diff.added} -${diff.removed} lines, ${bytes.length} bytes).${note}${unseen}\n${diff.text}`,
    };
  };
}

// The content in the old file's format. `codec` is absent if the old file was not text.
function inFormatOf(codec: TextCodec | undefined, seen: string, content: string): { bytes: Buffer; note: string } {
  const hasMark = content.startsWith('\u{FEFF}');
  let text = hasMark ? content.slice(1) : content;
  let note = '';
  const ending = dominantEnding(seen, lineBreaksOf(seen)) ?? '\n';
  if (ending !== '\n' && text.includes('\n') && !text.includes('\r')) {
    text = withEndings(text, [], ending);
    note = ` Line ends stay ${endingName(ending)}.`;
  }
  const kept = codec?.fromModel(text) === undefined ? undefined : codec;
  if (codec !== undefined && kept === undefined) {
    note += ` The old encoding, ${codec.name}, lacks some of the new characters: the file is UTF-8 now.`;
  }
  // Damaged UTF-8 is whole again when everything in it is new.
  const target = kept === undefined || kept.name.startsWith('UTF-8') ? utf8(kept?.mark) : kept;
  const mark = target.mark.length > 0 || !hasMark || !target.name.startsWith('UTF-8') ? target.mark : utf8Mark;
  return { bytes: Buffer.concat([mark, target.encode(text)]), note };
}

function plain(text: string): string {
  return withLineFeeds(text, lineBreaksOf(text));
}

function lineCount(text: string): string {
  const lines = plain(text).split('\n').length - (text === '' || /[\r\n]$/.test(text) ? 1 : 0);
  return lines === 1 ? '1 line' : `${lines} lines`;
}
