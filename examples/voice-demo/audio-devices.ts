// A microphone and a speaker that keep real time without any hardware: one time line, 20 ms a step. The demo hears both.

import { sampleRate } from './wav.ts';

const stepMs = 20;
const stepSamples = (sampleRate * stepMs) / 1000;

interface Segment {
  readonly itemId: string;
  readonly samples: Int16Array;
  at: number;
}

/** Runs until it is stopped. */
export interface AudioDevices {
  /** Says it into the microphone; resolves when the last sample was sent. Silence is sent in between. */
  speak(samples: Int16Array): Promise<void>;
  /** Queues audio of an item for the speaker. */
  play(itemId: string, samples: Int16Array): void;
  /** Forgets what was not played yet. */
  flush(): void;
  /** Milliseconds of this item that came out of the speaker. */
  playedMs(itemId: string): number;
  /** Resolves when the speaker has been playing for so long, of whatever item. */
  heard(ms: number): Promise<void>;
  /** Resolves when nothing is left to play. */
  quiet(): Promise<void>;
  /** Stops the clock; both sides of the conversation on one time line. */
  stop(): { readonly microphone: Int16Array; readonly speaker: Int16Array };
}

/** Starts the clock; `send` gets each 20 ms of the microphone. */
export function startAudioDevices(send: (samples: Int16Array) => void): AudioDevices {
  const microphone: Int16Array[] = [];
  const speaker: Int16Array[] = [];
  const queue: Segment[] = [];
  const played = new Map<string, number>();
  const waiting: { readonly isDue: () => boolean; resolve(): void }[] = [];
  let speech: { readonly samples: Int16Array; at: number; resolve(): void } | undefined;
  let steps = 0;
  let playing = 0;
  const begun = performance.now();

  const until = (isDue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ isDue, resolve });
    });

  const step = (): void => {
    const frame = new Int16Array(stepSamples);
    if (speech !== undefined) {
      frame.set(speech.samples.subarray(speech.at, speech.at + stepSamples));
      speech.at += stepSamples;
      if (speech.at >= speech.samples.length) {
        speech.resolve();
        speech = undefined;
      }
    }
    microphone.push(frame);
    send(frame);
    speaker.push(nextFromQueue());
    for (const [index, { isDue, resolve }] of [...waiting.entries()].toReversed()) {
      if (!isDue()) continue;
      waiting.splice(index, 1);
      resolve();
    }
  };

  const nextFromQueue = (): Int16Array => {
    const frame = new Int16Array(stepSamples);
    for (let filled = 0; filled < stepSamples;) {
      const segment = queue[0];
      if (segment === undefined) break;
      const part = segment.samples.subarray(segment.at, segment.at + stepSamples - filled);
      frame.set(part, filled);
      filled += part.length;
      segment.at += part.length;
      playing += part.length;
      played.set(segment.itemId, (played.get(segment.itemId) ?? 0) + part.length);
      if (segment.at >= segment.samples.length) queue.shift();
    }
    return frame;
  };

  // A timer is late now and then: the steps it missed are made up for.
  const timer = setInterval(() => {
    while (steps * stepMs <= performance.now() - begun) {
      steps++;
      step();
    }
  }, stepMs / 2);

  return {
    speak: (samples) =>
      new Promise((resolve) => {
        speech = { samples, at: 0, resolve };
      }),
    play: (itemId, samples) => queue.push({ itemId, samples, at: 0 }),
    flush() {
      queue.length = 0;
    },
    playedMs: (itemId) => ((played.get(itemId) ?? 0) * 1000) / sampleRate,
    heard(ms) {
      const goal = playing + (ms * sampleRate) / 1000;
      return until(() => playing >= goal);
    },
    quiet: () => until(() => queue.length === 0),
    stop() {
      clearInterval(timer);
      return { microphone: joined(microphone), speaker: joined(speaker) };
    },
  };
}

function joined(frames: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(frames.length * stepSamples);
  for (const [index, frame] of frames.entries()) whole.set(frame, index * stepSamples);
  return whole;
}
