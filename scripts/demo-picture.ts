// `node scripts/demo-picture.ts`: docs/images/guided-demo.svg, from what `npm start` prints. Takes as long as the demo.
// Not a part of `npm run docs`: times and numbers of files differ from run to run.

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { terminalPicture } from './docs/terminal-picture.ts';

const root = resolve(import.meta.dirname, '..');
const running = promisify(execFile)(process.execPath, ['src/cli/main.ts'], {
  cwd: root,
  env: { PATH: process.env['PATH'] },
});
running.child.stdin?.end(); // without a terminal it shows the demo
const { stdout } = await running;
const label = 'A terminal in which a message steers a running turn, and a late one starts the next';
await writeFile(join(root, 'docs/images/guided-demo.svg'), terminalPicture(`$ npm start\n${stdout}`, label));
console.log('docs/images/guided-demo.svg');
