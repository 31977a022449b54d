// What people call kinds of files, and the extensions they mean. The goal parser and the files script ask it.

/** A kind of file: `label` goes before the word "file"; an empty list of extensions means every file. */
export interface FileKind {
  readonly label: string;
  readonly extensions: readonly string[];
}

// Every file.
const anyKind: FileKind = { label: '', extensions: [] };

const languages: readonly (readonly [RegExp, string, readonly string[]])[] = [
  [/\btype\s?script\b/i, 'TypeScript', ['ts', 'tsx', 'mts', 'cts']],
  [/\bjava\s?script\b/i, 'JavaScript', ['js', 'jsx', 'mjs', 'cjs']],
  [/\bpython\b/i, 'Python', ['py']],
  [/\brust\b/i, 'Rust', ['rs']],
  [/\bgo(lang)? (source )?(files?|code)\b/i, 'Go', ['go']],
  [/\bjava\b/i, 'Java', ['java']],
  [/\bruby\b/i, 'Ruby', ['rb']],
  [/\bmarkdown\b/i, 'Markdown', ['md', 'markdown']],
  [/\bjson\b/i, 'JSON', ['json']],
  [/\bya?ml\b/i, 'YAML', ['yml', 'yaml']],
  [/\bhtml\b/i, 'HTML', ['html', 'htm']],
  [/\bcss\b/i, 'CSS', ['css']],
  [/\bshell (scripts?|files?)\b/i, 'shell', ['sh', 'bash']],
  [/\btext files?\b/i, 'text', ['txt']],
];

const knownExtensions: ReadonlySet<string> = new Set(languages.flatMap(([, , extensions]) => extensions));

/** The kind the words speak of: `*.ts` or `.ts files` first, then a language's name, then `ts files`, else every file. */
export function fileKindIn(words: string): FileKind {
  const dotted = /\*\.([A-Za-z0-9]+)/.exec(words)?.[1] ?? /(?:^|\s)\.([A-Za-z0-9]+) files?\b/.exec(words)?.[1];
  if (dotted !== undefined) return ofExtension(dotted);
  for (const [pattern, label, extensions] of languages) if (pattern.test(words)) return { label, extensions };
  for (const [, bare = ''] of words.matchAll(/\b([A-Za-z0-9]+) files?\b/g)) {
    if (knownExtensions.has(bare.toLowerCase())) return ofExtension(bare);
  }
  return anyKind;
}

/** A glob for the kind: any folder, any name, one of its extensions. */
export function globOf(kind: FileKind): string {
  const { extensions } = kind;
  if (extensions.length === 0) return '**/*';
  return extensions.length === 1 ? `**/*.${extensions[0]}` : `**/*.{${extensions.join(',')}}`;
}

/** Whether a path is of the kind, by its extension. */
export function isOfKind(kind: FileKind, path: string): boolean {
  if (kind.extensions.length === 0) return true;
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  return extension !== undefined && kind.extensions.includes(extension);
}

function ofExtension(extension: string): FileKind {
  return { label: `.${extension.toLowerCase()}`, extensions: [extension.toLowerCase()] };
}
