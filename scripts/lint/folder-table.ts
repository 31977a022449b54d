// The one table of who may import whom. Read by the import-direction rule and by test/architecture.test.ts.

/** What the files of one folder may import. Type-only imports count like any other. */
export interface FolderRow {
  /** The folder's path from the project's root; the longest one that fits a file is its row. */
  readonly folder: string;
  /** Other folders it may import from; `entries` = only files that are public entries of the package. */
  readonly rooms: readonly string[] | 'entries';
  /** Packages it may import. */
  readonly packages: readonly string[] | 'any';
  /** Whether it may import Node's own modules. */
  readonly node: boolean;
}

const conversation = 'src/conversation';
const contracts = 'src/contracts';
const codec = 'src/codec';
const machines = 'src/machines';
const services = 'src/services';
const transformers = 'src/transformers';
const tools = 'src/tools';
const tasks = 'src/tools/tasks';
const agent = 'src/tools/agent';
const runtime = 'src/runtime';
const adapters = 'src/adapters';
const testing = 'src/testing';
const innerRooms = [conversation, contracts, codec, machines, services, transformers, tools, tasks, runtime];

/** A folder's `index.ts` may besides re-export from the folders below it. */
export const folderTable: readonly FolderRow[] = [
  {
    folder: 'src',
    rooms: [conversation, contracts, transformers, tools, tasks, agent, runtime],
    packages: [],
    node: false,
  },
  { folder: conversation, rooms: [], packages: [], node: false },
  { folder: contracts, rooms: [conversation], packages: [], node: false },
  { folder: codec, rooms: [conversation, contracts], packages: ['zod'], node: false },
  { folder: machines, rooms: [conversation, contracts], packages: ['xstate'], node: false },
  { folder: services, rooms: [conversation, contracts, machines, tools], packages: ['xstate'], node: false },
  { folder: transformers, rooms: [conversation, contracts, tools], packages: [], node: false },
  { folder: tools, rooms: [conversation, contracts], packages: [], node: false },
  { folder: tasks, rooms: [conversation, contracts, tools], packages: [], node: false },
  { folder: agent, rooms: [conversation, contracts, tools, runtime], packages: [], node: false },
  {
    folder: 'src/tools/http',
    rooms: [conversation, contracts, tools],
    packages: ['html-to-text', 'ipaddr.js'],
    node: true,
  },
  {
    folder: 'src/tools/baseline',
    rooms: [conversation, contracts, tools],
    packages: ['@vscode/ripgrep', 'chardet', 'diff', 'iconv-lite'],
    node: true,
  },
  {
    folder: runtime,
    rooms: [conversation, contracts, machines, services, transformers, tools, tasks],
    packages: ['xstate'],
    node: false,
  },
  { folder: adapters, rooms: [conversation, contracts], packages: ['eventsource-parser'], node: false },
  {
    folder: 'src/adapters/anthropic',
    rooms: [conversation, contracts, adapters],
    packages: ['@anthropic-ai/sdk'],
    node: false,
  },
  { folder: 'src/adapters/openai', rooms: [conversation, contracts, adapters], packages: ['openai'], node: false },
  { folder: 'src/realtime', rooms: [conversation, contracts, machines, services, tools], packages: [], node: false },
  {
    folder: 'src/realtime/openai',
    rooms: [conversation, contracts, machines, services, adapters, 'src/realtime'],
    packages: ['openai', 'ws'],
    node: true,
  },
  {
    folder: 'src/embedding',
    rooms: [conversation, contracts, machines, services, runtime],
    packages: ['xstate'],
    node: false,
  },
  { folder: 'src/inspect', rooms: [conversation, contracts, machines], packages: ['xstate'], node: false },
  {
    folder: 'src/inspect/server',
    rooms: [contracts, machines, 'src/inspect'],
    packages: ['ws', 'xstate'],
    node: true,
  },
  { folder: testing, rooms: [...innerRooms, 'src/realtime'], packages: ['@xstate/graph', 'xstate'], node: false },
  {
    folder: 'src/testing/properties',
    rooms: [...innerRooms, testing],
    packages: ['fast-check', 'xstate'],
    node: false,
  },
  { folder: 'src/cli', rooms: 'entries', packages: [], node: true },
  { folder: 'examples', rooms: 'entries', packages: 'any', node: true },
  { folder: 'bench', rooms: 'entries', packages: 'any', node: true },
];

/** The row a file belongs to, or undefined when the table says nothing about it (tests and scripts). */
export function rowOf(path: string): FolderRow | undefined {
  let found: FolderRow | undefined;
  for (const row of folderTable) {
    if (!path.startsWith(`${row.folder}/`)) continue;
    if (found === undefined || row.folder.length > found.folder.length) found = row;
  }
  return found;
}

/** Whether a source file is a public entry of the package, by its place alone. */
export function isEntryFile(path: string): boolean {
  return path === 'src/codec/json-schema.ts' || /^src\/([^.]+\/)?index\.ts$/.test(path);
}
