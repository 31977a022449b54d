// Messages that count how often anything in them is read. Used by tests that no old message is read again.

import { userMessage, type Message } from '../../src/conversation/message.ts';

export function countedMessages(count: number): { readonly messages: Message[]; reads: number } {
  const counted: { readonly messages: Message[]; reads: number } = { messages: [], reads: 0 };
  for (let index = 0; index < count; index++) {
    const get = (target: Message, key: string | symbol, receiver: unknown): unknown => {
      counted.reads++;
      return Reflect.get(target, key, receiver);
    };
    counted.messages.push(new Proxy(userMessage(`${index}`), { get }));
  }
  return counted;
}
