import { array, assert, asyncProperty, constantFrom, subarray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeInput } from '../../../../src/adapters/openai/responses/encode-input.ts';
import { targetOf } from '../../../../src/adapters/openai/target.ts';
import { assistantMessage } from '../../../../src/conversation/message.ts';
import { completed, created, itemDone, responseAnswer, type Json } from '../wire-events.ts';

// The helper's decoder calls its server `p`.
const target = { ...targetOf({ model: 'm' }, undefined), provider: 'p' };
const kinds = ['reasoning', 'bareReasoning', 'message', 'function_call', 'web_search_call'] as const;

const itemOf = (kind: (typeof kinds)[number], place: number): Json => {
  const id = `id_${place}`;
  switch (kind) {
    case 'reasoning':
      return { type: 'reasoning', id, summary: [], encrypted_content: `ENC${place}` };
    case 'bareReasoning':
      return { type: 'reasoning', id, summary: [] };
    case 'message':
      return {
        type: 'message',
        id,
        role: 'assistant',
        content: [{ type: 'output_text', text: `t${place}`, annotations: [] }],
      };
    case 'function_call':
      return { type: 'function_call', id, call_id: `c${place}`, name: 'run', arguments: '{}' };
    case 'web_search_call':
      return { type: 'web_search_call', id, status: 'completed' };
  }
};

const answers = array(constantFrom(...kinds), { maxLength: 8 }).chain((chosen) =>
  subarray([...chosen.keys()]).map((kept) => ({ chosen, kept })),
);
const runs = 300 * Number(process.env['TURNCHART_RUNS'] ?? 1);

describe('whatever of an answer is dropped', () => {
  const check = (
    law: (sent: readonly Json[], items: readonly Json[], kept: readonly number[]) => void,
  ): Promise<void> =>
    assert(
      asyncProperty(answers, async ({ chosen, kept }) => {
        const items = chosen.map(itemOf);
        const events = [created, ...items.map((item, place) => itemDone(place, item)), completed()];
        const { content, meta } = await responseAnswer(events);
        const left = content.filter((_, place) => kept.includes(place));
        law(encodeInput([assistantMessage(left, meta === undefined ? {} : { meta })], target), items, kept);
      }),
      { numRuns: runs },
    );

  test('reasoning goes out only with a ciphertext and right before what followed it', async () => {
    await check((sent, items) => {
      for (const [place, item] of sent.entries()) {
        if (item['type'] !== 'reasoning') continue;
        const origin = items.findIndex((one) => one['id'] === item['id']);
        expect(item['encrypted_content']).toBeDefined();
        expect(sent[place + 1]?.['id']).toBe(items[origin + 1]?.['id']);
      }
    });
  });

  test('an item goes out with its id only if the reasoning before it does', async () => {
    await check((sent, items) => {
      for (const item of sent) {
        if (item['id'] === undefined || item['type'] === 'reasoning') continue;
        const origin = items.findIndex((one) => one['id'] === item['id']);
        const before = items.slice(0, origin).findLast((one) => one['type'] === 'reasoning');
        expect(before === undefined || sent.some((one) => one['id'] === before['id'])).toBe(true);
      }
    });
  });

  test('every call that is kept goes out, in order', async () => {
    await check((sent, items, kept) => {
      const calls = kept.map((place) => items[place]).filter((item) => item?.['type'] === 'function_call');
      const gone = sent.filter((item) => item['type'] === 'function_call');
      expect(gone.map((item) => item['call_id'])).toEqual(calls.map((item) => item?.['call_id']));
    });
  });
});

test('an answer cut off in the middle goes back without the reasoning its text belonged to', async () => {
  const thought = {
    type: 'thinking',
    text: '',
    provider: 'p',
    encrypted: 'ENC',
    data: { id: 'rs_1', summary: [] },
  } as const;
  const cut = assistantMessage([thought, { type: 'text', text: 'Hel' }], { meta: { cut: 'aborted' } });
  expect(encodeInput([cut], target)).toEqual([{ role: 'assistant', content: 'Hel' }]);
});
