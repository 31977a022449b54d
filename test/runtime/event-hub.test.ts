import { describe, expect, test } from 'vitest';
import type { OperativeEvent } from '../../src/contracts/events.ts';
import { EventHub, TurnChannel } from '../../src/runtime/event-hub.ts';

const event = (messageId: string): OperativeEvent => ({ type: 'message.withdrawn', messageId });
const ignore = () => undefined;

function newHub(onError: (error: unknown) => void = ignore) {
  const hub = new EventHub(onError);
  const heard: string[] = [];
  const hear = (given: OperativeEvent) => void (given.type === 'message.withdrawn' && heard.push(given.messageId));
  hub.subscribe(hear);
  return { hub, heard, hear };
}

async function read(events: AsyncIterable<OperativeEvent>): Promise<OperativeEvent[]> {
  const all: OperativeEvent[] = [];
  for await (const one of events) all.push(one);
  return all;
}

describe('the hub', () => {
  test('delivers at once unless it holds', () => {
    const { hub, heard } = newHub();
    hub.publish(event('1'));
    hub.hold();
    hub.publish(event('2'));
    expect(heard).toEqual(['1']);
    hub.release();
    expect(heard).toEqual(['1', '2']);
  });

  test('what listeners cause lines up after what was held', () => {
    const { hub, heard } = newHub();
    hub.subscribe((given) => {
      if (given.type === 'message.withdrawn' && given.messageId === '1') hub.publish(event('caused'));
    });
    hub.hold();
    hub.publish(event('1'));
    hub.publish(event('2'));
    hub.release();
    expect(heard).toEqual(['1', '2', 'caused']);
  });

  test('all listeners hear one order, also of what one of them causes', () => {
    const hub = new EventHub(ignore);
    const heard: string[] = [];
    hub.subscribe((given) => {
      if (given.type === 'message.withdrawn' && given.messageId === '1') hub.publish(event('2'));
    });
    hub.subscribe((given) => void (given.type === 'message.withdrawn' && heard.push(given.messageId)));
    hub.publish(event('1'));
    expect(heard).toEqual(['1', '2']);
  });

  test('the same function may subscribe twice, and each leaves alone', () => {
    const { hub, heard, hear } = newHub();
    const leave = hub.subscribe(hear);
    hub.publish(event('1'));
    leave();
    leave();
    hub.publish(event('2'));
    expect(heard).toEqual(['1', '1', '2']);
  });

  test('a listener added during a delivery starts with the next event', () => {
    const { hub, heard, hear } = newHub();
    let isFirst = true;
    hub.subscribe(() => {
      if (isFirst) hub.subscribe(hear);
      isFirst = false;
    });
    hub.publish(event('1'));
    hub.publish(event('2'));
    expect(heard).toEqual(['1', '2', '2']);
  });

  test('a listener removed during a delivery does not hear the event', () => {
    const hub = new EventHub(ignore);
    const heard: string[] = [];
    hub.subscribe(() => leave());
    const leave = hub.subscribe(() => heard.push('late'));
    hub.publish(event('1'));
    expect(heard).toEqual([]);
  });

  test('what a listener throws is reported and stops nobody', () => {
    const errors: unknown[] = [];
    const hub = new EventHub((error) => errors.push(error));
    const heard: string[] = [];
    hub.subscribe(() => {
      throw new Error('bad');
    });
    hub.subscribe(() => heard.push('heard'));
    hub.publish(event('1'));
    expect([errors, heard]).toEqual([[new Error('bad')], ['heard']]);
  });
});

describe('the channel of a turn', () => {
  test('reaches its own readers and every listener', async () => {
    const { hub, heard } = newHub();
    const [one, other] = [new TurnChannel(hub), new TurnChannel(hub)];
    const readers = [read(one.read()), read(other.read())];
    one.push(event('1'));
    other.push(event('2'));
    one.end();
    other.end();
    expect(await Promise.all(readers)).toEqual([[event('1')], [event('2')]]);
    expect(heard).toEqual(['1', '2']);
  });

  test('its end keeps its place in the line', async () => {
    const { hub } = newHub();
    const channel = new TurnChannel(hub);
    const reader = read(channel.read());
    hub.hold();
    channel.push(event('1'));
    channel.end();
    hub.release();
    expect(await reader).toEqual([event('1')]);
  });

  test('a reader made while events are held sees them', async () => {
    const { hub } = newHub();
    const channel = new TurnChannel(hub);
    hub.hold();
    channel.push(event('1'));
    const reader = read(channel.read());
    channel.end();
    hub.release();
    expect(await reader).toEqual([event('1')]);
  });

  test('nothing is published after its end', () => {
    const { hub, heard } = newHub();
    const channel = new TurnChannel(hub);
    channel.end();
    channel.push(event('1'));
    expect(heard).toEqual([]);
  });
});
