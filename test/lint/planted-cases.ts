// The one form of a rule's tests: named snippets that must be reported, and named snippets that must not.

import { beforeAll, describe, expect, test } from 'vitest';
import { lintPlanted, reportsOf, type Reports } from './planted-project.ts';

/** A snippet, and for a fault a part of the message it must bring. */
export interface PlantedCase {
  readonly title: string;
  readonly path: string;
  readonly text: string;
  /** Other files the snippet needs. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Absent = the rule stays silent. */
  readonly report?: string;
}

/** Lints every case in a project of its own folder names, all in one run, and makes a test of each. */
export function testRule(rule: string, cases: readonly PlantedCase[], options = { typeAware: false }): void {
  describe(rule, () => {
    let reports: Reports;

    beforeAll(async () => {
      const files: Record<string, string> = {};
      for (const { path, text, beside } of cases) {
        for (const [each, content] of Object.entries({ ...beside, [path]: text })) {
          if (each in files && files[each] !== content) throw new Error(`two cases write ${each}`);
          files[each] = content;
        }
      }
      reports = await lintPlanted(files, options);
    });

    test.each(cases)('$title', ({ path, report }) => {
      const found = reportsOf(reports, rule, path);
      expect(found).toEqual(report === undefined ? [] : [expect.stringContaining(report)]);
    });
  });
}
