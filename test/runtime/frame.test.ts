import { describe, expect, test } from 'vitest';
import { userMessage, type Message } from '../../src/conversation/message.ts';
import { defaultFrame, frameWith } from '../../src/runtime/frame.ts';

const message = userMessage('more', { id: 'm1', meta: { from: 'web' } });

function framed(frame: Parameters<typeof frameWith>[0]): { readonly message: Message; readonly errors: unknown[] } {
  const errors: unknown[] = [];
  return { message: frameWith(frame, (error) => errors.push(error))(message), errors };
}

describe('frameWith', () => {
  test('without a frame of the host is the default', () => {
    expect(frameWith(undefined, () => undefined)).toBe(defaultFrame);
  });

  test('null hands the very message on', () => {
    expect(framed(null).message).toBe(message);
  });

  test('hands on what the host made', () => {
    const made = { ...message, content: [{ type: 'text', text: 'made' }] } as const;
    expect(framed(() => made)).toEqual({ message: made, errors: [] });
  });

  test('hands on a copy: what the host does to its own later changes nothing', () => {
    const made = { ...message, meta: { from: { name: 'web' } } };
    const { message: handed } = framed(() => made);
    made.meta.from.name = 'phone';
    expect(handed.meta).toEqual({ from: { name: 'web' } });
  });

  test('names the message and the fault when the frame is unusable', () => {
    const { errors } = framed(() => ({ ...message, id: 'other' }));
    expect(errors).toEqual([
      new TypeError(
        'frameInjectedMessage must return a user message with the same id and some content, but for message "m1" its id differs. The message is used without a frame.',
      ),
    ]);
  });
});

describe('the default frame', () => {
  test('adds one text block in front and counts it', () => {
    const { content, meta } = defaultFrame(message);
    expect(content.slice(meta?.['frame'] as number)).toEqual(message.content);
  });

  test('keeps id, role and what else meta holds', () => {
    expect(defaultFrame(message)).toMatchObject({ id: 'm1', role: 'user', meta: { from: 'web' } });
  });

  test('leaves the message itself alone', () => {
    const before = structuredClone(message);
    defaultFrame(message);
    expect(message).toEqual(before);
  });
});
