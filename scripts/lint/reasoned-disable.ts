// A lint rule may be switched off only for one place and with a reason on the same line.

import { defineRule } from '@oxlint/plugins';

/** Reports a disable comment without a reason (`-- because …`), and one that covers a whole file. */
export const reasonedDisable = defineRule({
  meta: { type: 'problem', docs: { description: 'Disable comments give their reason and cover one line.' } },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const found = /^\s*(?:oxlint|eslint)-disable(-next-line|-line)?\b(.*)$/s.exec(comment.value);
          if (found === null) continue;
          const [, place, rest = ''] = found;
          if (place === undefined) {
            context.report({ node: comment, message: 'Switch a rule off for one line, not for everything after it.' });
          }
          if (!/^\s+[^\s-].*\s--\s+\S/s.test(rest)) {
            context.report({
              node: comment,
              message: 'Name the rule and give the reason: `oxlint-disable-next-line rule -- reason`.',
            });
          }
        }
      },
    };
  },
});
