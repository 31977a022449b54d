import { testRule } from './planted-cases.ts';

const rule = 'turnchart/import-direction';

testRule(rule, [
  {
    title: 'reports an import against the direction of the table',
    path: 'src/conversation/upward.ts',
    text: `import { fold } from '../services/fold.ts'; fold();`,
    report: 'src/conversation may import no other folder, not src/services.',
  },
  {
    title: 'counts a type-only import',
    path: 'src/contracts/typed.ts',
    text: `import type { Turn } from '../machines/turn.ts'; export type { Turn };`,
    report: 'not src/machines',
  },
  {
    title: 'counts a re-export',
    path: 'src/contracts/again.ts',
    text: `export { fold } from '../services/fold.ts';`,
    report: 'not src/services',
  },
  {
    title: 'counts an export of everything',
    path: 'src/contracts/all.ts',
    text: `export * from '../services/fold.ts';`,
    report: 'not src/services',
  },
  {
    title: 'counts a dynamic import',
    path: 'src/contracts/lazy.ts',
    text: `export const load = () => import('../services/fold.ts');`,
    report: 'not src/services',
  },
  {
    title: 'counts an import inside a type',
    path: 'src/contracts/inline.ts',
    text: `export type Fold = import('../services/fold.ts').Fold;`,
    report: 'not src/services',
  },
  {
    title: 'reports a module name that is not a plain string',
    path: 'src/tools/computed.ts',
    text: 'export const load = (name: string) => import(`../${name}.ts`);',
    report: 'plain string',
  },
  {
    title: 'reports a Node module where browsers run',
    path: 'src/services/disk.ts',
    text: `import 'node:fs';`,
    report: `may not import 'node:fs'`,
  },
  {
    title: 'reports a Node module without its prefix',
    path: 'src/services/bare-disk.ts',
    text: `import 'fs/promises';`,
    report: `may not import 'fs/promises'`,
  },
  {
    title: 'reports zod outside of the codec',
    path: 'src/tools/schema.ts',
    text: `import type { ZodType } from 'zod/v4'; export type { ZodType };`,
    report: `not 'zod'`,
  },
  {
    title: 'reports xstate in a transformer',
    path: 'src/transformers/chart.ts',
    text: `import 'xstate';`,
    report: `not 'xstate'`,
  },
  {
    title: 'reports the SDK of the other adapter',
    path: 'src/adapters/anthropic/other-sdk.ts',
    text: `import 'openai/helpers';`,
    report: `not 'openai'`,
  },
  {
    title: 'reports an import of the other adapter',
    path: 'src/adapters/openai/other.ts',
    text: `import '../anthropic/encode.ts';`,
    report: 'not src/adapters/anthropic',
  },
  {
    title: 'reports an SDK in what the adapters share',
    path: 'src/adapters/shared.ts',
    text: `import '@anthropic-ai/sdk';`,
    report: `not '@anthropic-ai/sdk'`,
  },
  {
    title: 'reports an inner file in the command',
    path: 'src/cli/inner.ts',
    text: `import '../runtime/engine.ts';`,
    report: 'public entries only',
  },
  {
    title: 'reports an inner file in an example',
    path: 'examples/inner.ts',
    text: `import '../src/runtime/engine.ts';`,
    report: 'public entries only',
  },
  {
    title: 'reports the Node tools in the root entry',
    path: 'src/index.ts',
    text: `export * from './tools/baseline/read.ts';`,
    report: 'not src/tools/baseline',
  },
  {
    title: 'reports the codec in the runtime',
    path: 'src/runtime/codec.ts',
    text: `import '../codec/decode.ts';`,
    report: 'not src/codec',
  },
  {
    title: 'reports a file outside of the library',
    path: 'src/runtime/outside.ts',
    text: `import '../../test/kit.ts';`,
    report: 'outside of the library',
  },
  {
    title: 'allows what the table allows',
    path: 'src/services/good.ts',
    text: `import 'xstate'; import '../machines/turn.ts'; import './fold.ts'; export * from '../conversation/block.ts';`,
  },
  {
    title: 'allows an adapter its own SDK and the shared files',
    path: 'src/adapters/anthropic/good.ts',
    text: `import '@anthropic-ai/sdk/streaming'; import '../server-sent-events.ts'; import './encode.ts';`,
  },
  {
    title: 'allows the command public entries and Node modules',
    path: 'src/cli/good.ts',
    text: `import 'node:fs'; import '../index.ts'; import '../tools/http/index.ts'; import '../codec/json-schema.ts'; import './demo/words.ts';`,
  },
  {
    title: 'allows an entry the folders below its own',
    path: 'src/tools/index.ts',
    text: `export * from './baseline/read.ts'; export * from './define-tool.ts';`,
  },
  {
    title: 'leaves tests alone',
    path: 'test/anything.ts',
    text: `import 'node:fs'; import 'zod'; import '../src/services/fold.ts';`,
  },
]);
