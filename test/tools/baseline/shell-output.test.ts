// The parts commands' output goes through, as laws over any way it may be cut into pieces.

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

import { createMarkedStream } from '../../../src/tools/baseline/marked-stream.ts';
import { createOutputWindow } from '../../../src/tools/baseline/output-window.ts';
import { createPacedWriter } from '../../../src/tools/baseline/paced-writer.ts';
import { createRepeatedLines } from '../../../src/tools/baseline/repeated-lines.ts';
import { createTerminalText } from '../../../src/tools/baseline/terminal-text.ts';

const runs = { numRuns: 200 * Number(process.env['TURNCHART_RUNS'] ?? 1) };

function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes.length === 0 ? bytes.length : (sizes[turn % sizes.length] ?? 1);
    cut.push(bytes.subarray(at, at + size));
    at += size;
  }
  return cut;
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 8 });

describe('the output window', () => {
  it('law: is well-formed, bounded, and made of the beginning and the end, at every budget and every cut', () => {
    const text = fc.array(fc.constantFrom('🏷', 'a', 'é', '\n', '漢', '👩‍👩‍👧'), { maxLength: 80 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 60 }), sizes, (characters, budget, cut) => {
        const whole = characters.join('');
        const window = createOutputWindow(budget);
        for (const piece of pieces(Buffer.from(whole), cut)) window.push(piece);
        const shown = window.shown('/full');
        expect(shown.isWellFormed()).toBe(true);
        JSON.parse(JSON.stringify(shown));
        if (whole.length <= budget) {
          expect(shown).toBe(whole);
          return;
        }
        const [, head = '', left = '', total = '', tail = ''] =
          /^([^]*)\n\n\[… (\d+) of (\d+) bytes left out; the full output is in \/full …\]\n\n([^]*)$/.exec(shown) ?? [];
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true);
        expect(head.length + tail.length).toBeLessThanOrEqual(budget);
        expect(head.length + tail.length).toBeGreaterThanOrEqual(budget - 2);
        expect(Number(total)).toBe(Buffer.byteLength(whole));
        expect(Number(left) + Buffer.byteLength(head) + Buffer.byteLength(tail)).toBe(Number(total));
      }),
      runs,
    );
  });

  it('law: any bytes become well-formed text, the same for every cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), sizes, (bytes, cut) => {
        const shown = (parts: readonly Buffer[]) => {
          const window = createOutputWindow(10_000);
          for (const piece of parts) window.push(piece);
          return window.shown(undefined);
        };
        const whole = shown([Buffer.from(bytes)]);
        expect(whole.isWellFormed()).toBe(true);
        expect(shown(pieces(Buffer.from(bytes), cut))).toBe(whole);
      }),
      runs,
    );
  });

  it('does not grow with the output', () => {
    const window = createOutputWindow(1_000);
    const piece = Buffer.alloc(65_536, 'x');
    for (let round = 0; round < 500; round++) window.push(piece);
    expect(window.isFull()).toBe(true);
    expect(window.shown(undefined).length).toBeLessThan(1_100);
  });
});

describe('lines that repeat', () => {
  const line = fc.constantFrom(
    '',
    'y',
    'a line',
    'x'.repeat(60),
    '漢字🏷',
    'x'.repeat(999),
    'x'.repeat(1_000),
    'x'.repeat(2_500),
  );
  const run = fc.tuple(line, fc.integer({ min: 1, max: 60 }));
  const output = fc
    .tuple(fc.array(run, { maxLength: 6 }), fc.constantFrom('', 'y', 'an open end'))
    .map(([lines, end]) => lines.map(([text, count]) => `${text}\n`.repeat(count)).join('') + end);
  const cuts = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 8 });
  const shownOf = (text: string, cut: readonly number[]): string => {
    const lines = createRepeatedLines();
    let shown = '';
    for (let at = 0, turn = 0; at < text.length; turn++) {
      const size = cut[turn % cut.length] ?? 1;
      shown += lines.push(text.slice(at, at + size));
      at += size;
    }
    return shown + lines.end();
  };

  it('law: what is shown says all there was, and never takes more room', () => {
    fc.assert(
      fc.property(output, cuts, (text, cut) => {
        const shown = shownOf(text, cut);
        const all = shown.replaceAll(
          /^(.*\n)\[… the line above (\d+) more times …\]\n/gm,
          (_, repeated: string, count) => repeated.repeat(1 + Number(count)),
        );
        expect(all).toBe(text);
        expect(shown.length).toBeLessThanOrEqual(text.length);
      }),
      runs,
    );
  });

  it('law: it is the same for every cut', () => {
    fc.assert(
      fc.property(output, cuts, (text, cut) => {
        expect(shownOf(text, cut)).toBe(shownOf(text, [text.length + 1]));
      }),
      runs,
    );
  });

  it('law: a line between two floods is shown, wherever the window cuts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000 }),
        fc.integer({ min: 0, max: 2_000 }),
        sizes,
        (before, after, cut) => {
          const window = createOutputWindow(200);
          const whole = `${'y\n'.repeat(before)}ok\n${'y\n'.repeat(after)}`;
          for (const piece of pieces(Buffer.from(whole), cut)) window.push(piece);
          const shown = window.shown('/full');
          expect(`\n${shown}`).toContain('\nok\n');
          if (whole.length > 200)
            expect(shown).toMatch(/\n\[Lines that repeat are shown once; the full output is in \/full\.\]$/);
          else expect(shown).toBe(whole);
        },
      ),
      runs,
    );
  });

  it('leave the window bounded however many there are', () => {
    const window = createOutputWindow(1_000);
    const piece = Buffer.from('the same line\n'.repeat(5_000));
    for (let round = 0; round < 200; round++) window.push(Buffer.concat([piece, Buffer.from(`round ${round}\n`)]));
    const shown = window.shown(undefined);
    expect(shown.length).toBeLessThan(1_100);
    expect(shown).toMatch(/\nround 199\n$/);
    expect(shown).toMatch(/\[… the line above 4999 more times …\]/);
  });
});

describe('terminal text', () => {
  const sequences = [
    '\u001B[31m',
    '\u001B[0m',
    '\u001B[2K',
    '\u001B]0;title\u0007',
    '\u001B]8;;u\u001B\\',
    '\u001B(B',
    '\u001B=',
    '\u0007',
    '\b',
  ];

  it('law: only the sequences go, wherever the pieces are cut', () => {
    const part = fc.oneof(fc.constantFrom(...sequences), fc.constantFrom('a', '漢', '\t', '[31m', ']', '\n'));
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        (parts, cut) => {
          const terminal = createTerminalText();
          const whole = parts.join('');
          let clean = '';
          for (let at = 0, turn = 0; at < whole.length; turn++) {
            const size = cut[turn % cut.length] ?? 1;
            clean += terminal.push(whole.slice(at, at + size));
            at += size;
          }
          expect(clean + terminal.end()).toBe(parts.filter((each) => !sequences.includes(each)).join(''));
        },
      ),
      runs,
    );
  });

  it('turns CRLF into LF, also where a piece ends between the two, and keeps a lone CR', () => {
    const terminal = createTerminalText();
    expect(terminal.push('a\r') + terminal.push('\nb\rc\r') + terminal.end()).toBe('a\nb\rc\r');
  });
});

describe('a marked stream', () => {
  it('law: what stands before the mark comes through, byte for byte, however it is cut', () => {
    const mark = 'abac';
    const text = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'aba', 'c', 'x'), { maxLength: 30 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, fc.boolean(), sizes, (before, behind, isMarked, cut) => {
        let got = '';
        const stream = createMarkedStream(mark, (bytes) => (got += bytes.toString()));
        const whole = isMarked ? before + mark + behind : before;
        for (const piece of pieces(Buffer.from(whole), cut)) stream.push(piece);
        stream.end();
        const at = whole.indexOf(mark);
        expect(got).toBe(at < 0 ? whole : whole.slice(0, at));
        expect(stream.isMarked()).toBe(at >= 0);
        expect(stream.behind().toString()).toBe(at < 0 ? '' : whole.slice(at + mark.length));
      }),
      runs,
    );
  });
});

describe('a paced writer', () => {
  it('writes at most ten times a second, everything, in order', () => {
    vi.useFakeTimers();
    try {
      const written: string[] = [];
      const writer = createPacedWriter((text) => written.push(text), 100, 1_000_000);
      let whole = '';
      for (let ms = 0; ms < 1_000; ms++) {
        writer.push(`${ms} `);
        whole += `${ms} `;
        vi.advanceTimersByTime(1);
      }
      expect(written).toHaveLength(10);
      writer.end(true);
      expect(written.join('')).toBe(whole);
    } finally {
      vi.useRealTimers();
    }
  });

  it('shows the end of too much text, and writes nothing after its end', () => {
    vi.useFakeTimers();
    try {
      const written: string[] = [];
      const writer = createPacedWriter((text) => written.push(text), 100, 10);
      for (let count = 0; count < 100; count++) writer.push('🏷abc');
      vi.advanceTimersByTime(100);
      writer.push('more');
      writer.end(false);
      vi.advanceTimersByTime(1_000);
      expect(written).toEqual(['…🏷abc🏷abc']);
    } finally {
      vi.useRealTimers();
    }
  });
});
