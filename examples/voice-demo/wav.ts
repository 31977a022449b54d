// The few audio formats the voice demo needs: telephone WAV in, stereo WAV out. 24,000 samples a second in between.

import { readFileSync } from 'node:fs';

export const sampleRate = 24_000;

/** A µ-law WAV of 8,000 samples a second, as samples of 24,000. */
export function readTelephoneWav(path: string | URL): Int16Array {
  const file = readFileSync(path);
  let at = 12;
  while (file.toString('latin1', at, at + 4) !== 'data') at += 8 + file.readUInt32LE(at + 4);
  const bytes = file.subarray(at + 8, at + 8 + file.readUInt32LE(at + 4));
  const samples = new Int16Array(bytes.length * 3);
  let last = 0;
  bytes.forEach((byte, index) => {
    const next = fromMuLaw(byte);
    for (let step = 1; step <= 3; step++) samples[index * 3 + step - 1] = last + ((next - last) * step) / 3;
    last = next;
  });
  return samples;
}

/** Two channels of the same time line as a WAV; the shorter one is silent at the end. */
export function stereoWav(left: Int16Array, right: Int16Array): Uint8Array {
  const frames = Math.max(left.length, right.length);
  const file = Buffer.alloc(44 + frames * 4);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + frames * 4, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(2, 22); // channels
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * 4, 28);
  file.writeUInt16LE(4, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(frames * 4, 40);
  for (let frame = 0; frame < frames; frame++) {
    file.writeInt16LE(left[frame] ?? 0, 44 + frame * 4);
    file.writeInt16LE(right[frame] ?? 0, 46 + frame * 4);
  }
  return file;
}

/** The bytes of samples, little endian, without a copy. */
export function bytesOf(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}

/** The samples of bytes, little endian. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const copy = new Uint8Array(bytes); // they may begin anywhere
  return new Int16Array(copy.buffer, 0, copy.byteLength >> 1);
}

// ITU-T G.711.
function fromMuLaw(byte: number): number {
  const value = ~byte & 0xff;
  const magnitude = (((value & 0x0f) << 3) + 0x84) << ((value & 0x70) >> 4);
  return value & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
}
