// Tells from the loudness of audio when somebody speaks: what the provider's turn detection does, made simple.

import { sampleRate } from './wav.ts';

const frameSamples = sampleRate / 50;
const loud = 500;
const framesToStart = 3;
const framesToStop = 25; // half a second of silence

/** Called with every piece of audio; says when speech started and stopped, in milliseconds from the beginning. */
export function createVoiceDetector(
  started: (ms: number) => void,
  stopped: (ms: number) => void,
): (samples: Int16Array) => void {
  let isSpeaking = false;
  let streak = 0;
  let heard = 0;
  let rest = new Int16Array(0);
  return (samples) => {
    const all = new Int16Array(rest.length + samples.length);
    all.set(rest);
    all.set(samples, rest.length);
    let at = 0;
    for (; at + frameSamples <= all.length; at += frameSamples) {
      heard += frameSamples;
      const isLoud = loudness(all.subarray(at, at + frameSamples)) > loud;
      streak = isLoud === isSpeaking ? 0 : streak + 1;
      if (streak < (isSpeaking ? framesToStop : framesToStart)) continue;
      isSpeaking = !isSpeaking;
      streak = 0;
      (isSpeaking ? started : stopped)(Math.round((heard * 1000) / sampleRate));
    }
    rest = all.slice(at);
  };
}

function loudness(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}
