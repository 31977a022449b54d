import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { findPowershell } from '../../../src/tools/baseline/powershell.ts';
import {
  powershellStart,
  quotedForPowershell,
  readBashReport,
  readPowershellReport,
} from '../../../src/tools/baseline/shell-script.ts';
import { baselineTools, powershellTool } from '../../../src/tools/index.ts';
import { processesWith, uniqueSleep } from './running-processes.ts';
import { callTool, newContext, newSession, temporaryFolder, workbench, type Answer } from './workbench.ts';

describe('the command line of PowerShell', () => {
  const marks = { end: 'MARK', family: '123456789000000001' };
  const script = (command: string): string => {
    const { args } = powershellStart('pwsh', command, marks);
    return Buffer.from(args.at(-1) ?? '', 'base64').toString('utf16le');
  };

  it('asks for no profile and no questions', () => {
    const { file, args } = powershellStart('/bin/pwsh', 'dir', marks);
    expect([file, ...args]).toContain('/bin/pwsh');
    expect(args.slice(-5, -1)).toEqual(['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand']);
  });

  it.each([
    "it's",
    'a"b',
    "'; Remove-Item x; '",
    '\u2018curly\u2019 \u201A\u201B',
    '$(x) `n',
    'zwei\nZeilen',
    '漢字 🏷',
  ])('holds the command %j as one string', (command) => {
    const quoted = quotedForPowershell(`${command}\n\n$global:turnchartWorked = $?`);
    expect(script(command)).toContain(`[scriptblock]::Create(${quoted})`);
    // Within the quotes every quote is doubled, so that none ends the string.
    const body = quoted.slice(1, -1);
    expect(body.replace(/['\u2018\u2019\u201A\u201B]{2}/g, '')).not.toMatch(/['\u2018\u2019\u201A\u201B]/);
    expect(body.replace(/(['\u2018\u2019\u201A\u201B])\1/g, '$1')).toBe(`${command}\n\n$global:turnchartWorked = $?`);
  });

  it('reports the last folder between two marks', () => {
    expect(readPowershellReport('C:\\work\\aMARK', 'MARK')).toEqual({ folder: 'C:\\work\\a' });
    expect(readPowershellReport('C:\\work', 'MARK')).toEqual({});
    expect(readPowershellReport('', 'MARK')).toEqual({});
  });
});

describe('the report of bash', () => {
  it.each([
    ['pump 12\n/a\n/a\n', { pump: 12, folder: '/a' }],
    ['pump 12\n/a\n', { pump: 12, folder: '/a' }],
    ['pump 12\n/a\nb\n/a\nb\n', { pump: 12, folder: '/a\nb' }],
    ['pump 12\n', { pump: 12 }],
    ['', {}],
  ])('%j', (report, read) => {
    expect(readBashReport(report)).toEqual(read);
  });
});

// Where there is no PowerShell, a program that takes its command line apart as it would, runs the command with bash and
// tells the end in the same way. What PowerShell itself makes of the script is not tested by this.
const standIn = String.raw`#!${process.execPath}
import { spawnSync } from 'node:child_process';
const script = Buffer.from(process.argv.at(-1), 'base64').toString('utf16le');
const text = (quoted) => quoted.slice(1, -1).replaceAll("''", "'");
const command = text(/Create\(('(?:[^']|'')*')\)/.exec(script)[1]).replace('$global:turnchartWorked = $?', '');
const end = text(/Out\.Write\(('(?:[^']|'')*')/.exec(script)[1]);
const { status } = spawnSync('bash', ['-c', command], { stdio: ['ignore', 'inherit', 'inherit'] });
const folder = spawnSync('bash', ['-c', command.includes('cd sub') ? 'cd sub; pwd' : 'pwd'], { encoding: 'utf8' }).stdout.trim();
process.stdout.write(end + folder + end);
process.exitCode = status ?? 1;
`;

async function withStandIn(
  test: (run: (command: string, timeout?: number) => Promise<Answer>, folder: string) => Promise<void>,
) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'bin'));
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'bin', 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'bin', 'pwsh'), standIn, { mode: 0o755 });
  const before = process.env['PATH'] ?? '';
  process.env['PATH'] = `${join(folder, 'bin')}:${before}`;
  try {
    const tool = powershellTool({ cwd: folder });
    const session = newSession();
    await test(
      (command, timeout) =>
        callTool(tool, { command, ...(timeout === undefined ? {} : { timeout }) }, newContext({ session })),
      folder,
    );
  } finally {
    process.env['PATH'] = before;
  }
}

describe('PowerShell, by a stand-in that speaks its part', () => {
  it('shows what was printed, without the folder after it, and its exit code', async () => {
    await withStandIn(async (run) => {
      expect(await run("echo 'it is'; echo two >&2")).toMatchObject({ isError: false });
      expect((await run("echo 'ü'")).text).toBe('ü');
      expect((await run('exit 3')).text).toBe('Exit code 3');
    });
  });

  it('keeps the working directory', async () => {
    await withStandIn(async (run, folder) => {
      expect((await run('cd sub')).text).toContain(`[The working directory is now ${folder}/sub.]`);
      expect((await run('pwd')).text).toBe(`${folder}/sub`);
    });
  });

  it.each([
    ['in the foreground', (seconds: string) => `echo started; sleep ${seconds}`],
    [
      'in no environment and no family',
      (seconds: string) => `(env -i setsid sleep ${seconds} >/dev/null 2>&1 &); echo started; sleep ${seconds}`,
    ],
  ])('leaves nothing %s after a time limit', async (_where, command) => {
    const seconds = uniqueSleep();
    await withStandIn(async (run) => {
      const { isError, text } = await run(command(seconds), 1_500);
      expect(isError).toBe(true);
      expect(text).toMatch(/took longer than 1500 ms and was ended.*\nstarted/);
      expect(processesWith(`sleep ${seconds}`)).toEqual([]);
    });
  });
});

describe('PowerShell', () => {
  it('asks for every command', () => {
    const { needsApproval } = powershellTool({ cwd: '/' });
    expect(typeof needsApproval === 'function' && needsApproval({ command: 'dir' })).toBe(true);
  });

  it('says so where there is none, and runs commands where there is one', async () => {
    const folder = await temporaryFolder();
    const tool = powershellTool({ cwd: folder });
    const run = (command: string) => callTool(tool, { command }, newContext());
    if (findPowershell() === undefined) {
      process.stdout.write(
        'skipped: there is no PowerShell here; its command line is tested, and by a stand-in what becomes of it; its own behaviour is not\n',
      );
      expect(await run('1')).toMatchObject({ isError: true, text: 'There is no PowerShell on this machine.' });
      return;
    }
    expect((await run("Write-Output 'ü'")).text).toBe('ü');
    expect((await run('exit 3')).text).toContain('Exit code 3');
  });

  it('is taken only where it is asked for or bash is missing', async () => {
    const shells = (shell?: 'bash' | 'powershell' | 'auto') =>
      baselineTools({ cwd: '/', ...(shell === undefined ? {} : { shell }) })
        .map(({ name }) => name)
        .filter((name) => name === 'Bash' || name === 'PowerShell');
    expect(shells('powershell')).toEqual(['PowerShell']);
    expect(shells('bash')).toEqual(['Bash']);
    if (process.platform !== 'win32') expect(shells()).toEqual(['Bash']);
    expect((await workbench()).tool('TodoWrite').name).toBe('TodoWrite');
  });
});
