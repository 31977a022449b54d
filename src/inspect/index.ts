// The entry ./inspect: what inspectors get, in any JavaScript. Imports nothing of Node.

export { withTranscript } from './transcript-actor.ts';
