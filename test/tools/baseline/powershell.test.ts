import { describe, expect, it } from 'vitest';

import { findPowershell } from '../../../src/tools/baseline/powershell.ts';
import {
  powershellStart,
  quotedForPowershell,
  readBashReport,
  readPowershellReport,
} from '../../../src/tools/baseline/shell-script.ts';
import { baselineTools, powershellTool } from '../../../src/tools/index.ts';
import { callTool, newContext, temporaryFolder, workbench } from './workbench.ts';

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
    const quoted = quotedForPowershell(`${command}\n$global:turnchartWorked = $?`);
    expect(script(command)).toContain(`[scriptblock]::Create(${quoted})`);
    // Within the quotes every quote is doubled, so that none ends the string.
    const body = quoted.slice(1, -1);
    expect(body.replace(/['\u2018\u2019\u201A\u201B]{2}/g, '')).not.toMatch(/['\u2018\u2019\u201A\u201B]/);
    expect(body.replace(/(['\u2018\u2019\u201A\u201B])\1/g, '$1')).toBe(`${command}\n$global:turnchartWorked = $?`);
  });

  it('tells the last folder between two marks', () => {
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
      process.stdout.write('skipped: there is no PowerShell here; its command line is tested, its behaviour is not\n');
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
