import { testRule, type PlantedCase } from './planted-cases.ts';

const faults: Readonly<Record<string, string>> = {
  'Date.now': 'export const at = Date.now();',
  'new Date()': 'export const at = new Date();',
  'Date()': 'export const at = Date();',
  setTimeout: 'setTimeout(() => {}, 5);',
  setInterval: 'export const timer = globalThis.setInterval(() => {}, 5);',
  setImmediate: 'setImmediate(() => {});',
  'Math.random': `export const dice = Math['random']();`,
  crypto: 'export const id = crypto.randomUUID();',
  performance: 'export const at = performance.now();',
  'AbortSignal.timeout': 'export const signal = AbortSignal.timeout(5);',
};

const faultCases = Object.entries(faults).map(([name, text], index): PlantedCase => ({
  title: `reports ${name}`,
  path: `src/services/fault-${index}.ts`,
  text,
  report: `${name} reads time, chance or identity`,
}));

const allowedPlaces = [
  'src/contracts/host.ts',
  'src/conversation/identity.ts',
  'src/tools/baseline/shell.ts',
  'src/adapters/openai/model.ts',
  'src/cli/main.ts',
  'test/timing.ts',
];

testRule('turnchart/host-only', [
  ...faultCases,
  ...allowedPlaces.map((path): PlantedCase => ({
    title: `allows it in ${path}`,
    path,
    text: 'export const at = Date.now() + Math.random();',
  })),
  {
    title: 'allows a host’s own methods of the same names',
    path: 'src/services/hosted.ts',
    text: 'export function wait(host: { setTimeout(fn: () => void): void }) { const { setTimeout } = host; setTimeout(() => {}); host.setTimeout(() => {}); }',
  },
  {
    title: 'allows dates and numbers that read no clock',
    path: 'src/services/pure.ts',
    text: 'export const at = (ms: number) => new Date(Math.max(ms, 0)).toISOString(); queueMicrotask(() => {});',
  },
  {
    title: 'allows the type of a timer',
    path: 'src/services/timer-type.ts',
    text: 'export type Timer = ReturnType<typeof setTimeout>;',
  },
]);
