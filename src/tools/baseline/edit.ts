// The Edit tool: replaces one text in a file, exactly, and keeps encoding, byte order mark and every line's own ending.

import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import {
  changeFile,
  createChanger,
  previewChange,
  type Changer,
  type ChangeOptions,
  type Decide,
  type Decision,
  type FileBefore,
} from './change-file.ts';
import { editText } from './edit-text.ts';
import { fileKind } from './file-kind.ts';
import { lenientArguments } from './lenient-arguments.ts';
import { lineBreaksOf, withLineFeeds } from './line-endings.ts';
import { missingFileText } from './name-suggestions.ts';
import { detectEncoding, type TextCodec } from './text-encoding.ts';

/** Arguments of Edit. */
export interface EditArguments {
  readonly file_path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

const description = `Replaces text in a file.
- old_string must be exactly what the file has (without the line numbers Read shows) and must occur once: add surrounding lines to make it unique, or set replace_all.
- Line ends may be written as plain newlines; the file keeps its own line ends and encoding.
- The file must have been read in this conversation, and not changed by others since.
- An empty old_string creates a new file with new_string as its content.`;

/** Edit: runs alone, needs approval if there is an `approve` function, must not be run again after a crash. */
export function editTool(options: ChangeOptions): Tool {
  const changer = createChanger(options);
  return defineTool({
    name: 'Edit',
    description,
    parameters: lenientArguments<EditArguments>({
      type: 'object',
      properties: {
        file_path: {
          type: 'string',
          minLength: 1,
          description: 'The file to change: an absolute path, or one relative to the working directory',
        },
        old_string: { type: 'string', description: 'The text to replace' },
        new_string: { type: 'string', description: 'The text to put in its place' },
        replace_all: { type: 'boolean', description: 'Replace every occurrence. Default false' },
      },
      required: ['file_path', 'old_string', 'new_string'],
    }),
    isConcurrencySafe: false,
    replay: 'unsafe',
    preview: (args, context) => previewChange(changer, args.file_path, context, decideEdit(changer, args)),
    execute: (args, context) => changeFile(changer, args.file_path, context, decideEdit(changer, args)),
  });
}

function decideEdit(changer: Changer, args: EditArguments): Decide {
  return async (before) => {
    const { bytes, shown } = before;
    if (bytes === undefined) return await newFile(changer, args, before);
    if (args.old_string === '' && bytes.length > 0) {
      return refuse(
        `${shown} exists and is not empty, and an empty old_string is only for new files. Give the text to replace.`,
      );
    }
    const kind = fileKind(bytes);
    if (kind.type !== 'text') return refuse(`${shown} is not a text file; Edit only changes text.`);
    const codec = await detectEncoding(bytes, true);
    const content = bytes.subarray(codec.mark.length);
    const decision = editContent(content, codec, args, shown);
    const isMiss = decision.type === 'refuse' && /\.ipynb$/i.test(shown);
    return isMiss
      ? refuse(`${decision.message}\nThis is a notebook, which Read shows cell by cell: change it with NotebookEdit.`)
      : decision;
  };
}

async function newFile({ workspace }: Changer, args: EditArguments, { path, shown }: FileBefore): Promise<Decision> {
  if (args.old_string !== '') {
    return refuse(
      `${await missingFileText(workspace, path, shown)} To create a file use Write, or Edit with an empty old_string.`,
    );
  }
  const text = args.new_string.toWellFormed();
  const say = (): string => `Created ${shown} (${Buffer.byteLength(text)} bytes).`;
  return { type: 'replace', bytes: Buffer.from(text), textBefore: '', textAfter: text, say };
}

function editContent(content: Buffer, codec: TextCodec, args: EditArguments, shown: string): Decision {
  const text = codec.decode(content);
  if (text === undefined) {
    return refuse(
      `${shown} cannot be edited: read as ${codec.name} it holds bytes that could not be written back as they are.`,
    );
  }
  const newText = codec.fromModel(withoutMark(args.new_string, codec));
  if (newText === undefined) return refuse(unknownCharacter(args.new_string, codec, shown));
  const oldText = codec.fromModel(withoutMark(args.old_string, codec));
  if (oldText === '') return edited('', newText, codec, `Edited ${shown}`);
  const edit = { newText, replaceAll: args.replace_all === true };
  const outcome = oldText === undefined ? undefined : editText(text, { ...edit, oldText });
  if (outcome?.type === 'edited') {
    const count = outcome.replaced === 1 ? '1 replacement' : `${outcome.replaced} replacements`;
    const how = outcome.difference === undefined ? '' : `; matched but for ${outcome.difference}`;
    return edited(text, outcome.text, codec, `Edited ${shown}: ${count}${how}`);
  }
  if (outcome !== undefined && !codec.isBytewise) return refuse(`${shown}: ${outcome.message}`);
  // The text as the model wrote it: the search was on bytes rather than characters, or was impossible.
  const seen = editText(codec.view(content), { ...edit, oldText: args.old_string, newText: args.new_string });
  const message =
    seen.type === 'refused'
      ? seen.message
      : 'old_string touches bytes that are no valid text, which Edit cannot change. Nothing was changed.';
  return refuse(`${shown}: ${message}`);
}

function edited(before: string, after: string, codec: TextCodec, said: string): Decision {
  return {
    type: 'replace',
    bytes: Buffer.concat([codec.mark, codec.encode(after)]),
    textBefore: displayed(before, codec),
    textAfter: displayed(after, codec),
    say: (diff) => `${said} (+${diff.added} -${diff.removed} lines).\n${diff.text}`,
  };
}

function displayed(text: string, codec: TextCodec): string {
  const seen = codec.isBytewise ? codec.view(codec.encode(text)) : text;
  return withLineFeeds(seen, lineBreaksOf(seen));
}

// A model may copy a byte order mark it saw; it is not part of the text.
function withoutMark(text: string, codec: TextCodec): string {
  return codec.mark.length > 0 && text.startsWith('\u{FEFF}') ? text.slice(1) : text;
}

function unknownCharacter(text: string, codec: TextCodec, shown: string): string {
  const unknown = Array.from(text).find((character) => codec.fromModel(character) === undefined) ?? '';
  const name = `U+${(unknown.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const what = unknown.isWellFormed() ? `${unknown} (${name})` : `half a surrogate pair (${name})`;
  return `new_string holds ${what}, which the encoding of ${shown}, ${codec.name}, does not have. Write it another way, or convert the file first.`;
}

function refuse(message: string): Decision {
  return { type: 'refuse', message };
}
