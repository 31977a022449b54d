// Finds quoted text, file names and folder names in a person's words. The goal rules call it.

/** The first piece in backquotes, double or single quotes. */
export function quotedIn(words: string): string | undefined {
  const found = /`([^`]+)`|"([^"]+)"|“([^”]+)”|(?:^|\s)'([^']+)'(?=$|[\s?.,!])/.exec(words);
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? found?.[4];
}

/** The first thing that looks like a file: a name with an extension, a path with a slash, or a well-known bare name. */
export function fileIn(words: string): string | undefined {
  const quoted = quotedIn(words);
  if (quoted !== undefined && /[./]/.test(quoted)) return quoted;
  const name = String.raw`[\p{L}\p{N}_@+~.-]`;
  const file = `(?:${name}*/)*${name}*\\.[\\p{L}\\p{N}]+|(?:${name}*/)+${name}+|LICENSE|Makefile|Dockerfile`;
  const found = new RegExp(`(?:^|\\s)(${file})(?=$|[\\s?!,;:.)])`, 'u').exec(words)?.[1];
  if (found !== undefined && !found.startsWith('*')) return found;
  return /\breadme\b/i.test(words) ? 'README.md' : undefined;
}

const notAFolder: ReadonlySet<string> = new Set(
  (
    'a all and any by code each every file files folder here it lines my order our project that the their them there ' +
    'these this those total typescript javascript python rust java ruby markdown json yaml html css which what one'
  ).split(' '),
);

/** The folder after "in", "under", "inside" or "within", and where in the words that phrase begins. */
export function folderIn(words: string): { readonly folder: string; readonly at: number } | undefined {
  const phrase =
    /\b(?:in|under|inside|within)\s+(?:the\s+)?(?:folder\s+|directory\s+)?["'`]?([\p{L}\p{N}_@.\-/\\]+)["'`]?/giu;
  for (const found of words.matchAll(phrase)) {
    const folder = (found[1] ?? '').replace(/[.,?!]+$/, '').replace(/\/+$/, '');
    if (folder !== '' && !notAFolder.has(folder.toLowerCase())) return { folder, at: found.index };
  }
  return undefined;
}

/** The words before the phrase that names a folder, "here" or "the files", without quotes and question marks. */
export function withoutPlace(words: string): string {
  const quoted = quotedIn(words);
  if (quoted !== undefined) return quoted;
  const before = words.slice(0, folderIn(words)?.at);
  return before
    .replace(/\s+(?:here|(?:in|under)\s+(?:here|this folder|the (?:files|code|folder|project)|all files))\b.*$/i, '')
    .replace(/[?!]+$/, '')
    .trim();
}
