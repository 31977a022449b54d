// Items that ran at the provider, or that only it understands → provider blocks. Called by open-item.ts.

import type { Output } from '../answer-decoder.ts';
import { textAt, without } from '../json-fields.ts';
import type { ItemWriter } from './item-writer.ts';

/** An item that the server never finished is left out. A generated picture becomes an image block, right before the provider block with the rest of the item. */
export function writeHosted(output: Output): ItemWriter {
  return {
    read: () => false,
    finish(final) {
      if (final === undefined) return;
      let item = final;
      const picture = item['type'] === 'image_generation_call' ? textAt(item, 'result') : undefined;
      if (picture !== undefined && picture !== '') {
        const mediaType = `image/${textAt(item, 'output_format') ?? 'png'}`;
        output.events.push({
          type: 'block',
          index: output.nextIndex++,
          block: { type: 'image', source: { type: 'base64', mediaType, data: picture } },
        });
        item = without(item, 'result');
      }
      output.events.push({
        type: 'block',
        index: output.nextIndex++,
        block: { type: 'provider', provider: output.provider, kind: textAt(item, 'type') ?? 'unknown', data: item },
      });
    },
  };
}
