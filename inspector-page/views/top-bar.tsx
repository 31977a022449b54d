// The bar above: what is connected, the recording, the colours.

import { useEffect, useRef, useState } from 'react';
import { countOf } from '../record/reading.ts';
import type { Store } from '../record/store.ts';

const lineTexts: Readonly<Record<Store['line'], string>> = {
  connecting: 'connecting…',
  open: 'connected',
  away: 'the inspector is away; trying again',
  refused: 'this inspector has ended; what it told stays here',
  file: 'a recording',
  full: 'paused for long; go live for what came since',
};

// How long it says why a file could not be opened.
const problemMs = 8_000;

type Theme = 'system' | 'light' | 'dark';
const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** Name, state of the line, counts, and tools. */
export function TopBar({ store }: { readonly store: Store }) {
  const { log, line } = store;
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (problem === '') return undefined;
    const timer = setTimeout(() => setProblem(''), problemMs);
    return () => clearTimeout(timer);
  }, [problem]);
  const open = async (file: File | undefined) => {
    if (file === undefined) return;
    try {
      setProblem(store.open(JSON.parse(await file.text())) ? '' : 'This file is no recording of the inspector.');
    } catch {
      setProblem('This file is no JSON.');
    }
  };
  return (
    <header className="top">
      <h1>
        <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
          <rect x="3" y="4" width="12" height="9" rx="3" className="logo-fill" />
          <rect x="17" y="19" width="12" height="9" rx="3" className="logo-line" />
          <path d="M15 8.500h5a3 3 0 0 1 3 3V19" className="logo-line" />
        </svg>
        turnchart <span>inspector</span>
      </h1>
      <span className={`line line-${line}`} role="status">
        {problem === '' ? lineTexts[line] : problem}
      </span>
      <span className="counts">
        {countOf(log.actorCount, 'actor')} · {countOf(log.entries.length, 'message')}
        {log.programs.size > 1 && ` · ${log.programs.size} programs`}
      </span>
      <div className="top-tools">
        <ThemeButton />
        <button type="button" onClick={() => input.current?.click()} title="Open a recording">
          Open
        </button>
        <button
          type="button"
          onClick={() => save(store)}
          disabled={log.entries.length === 0}
          title="Save everything as JSON"
        >
          Export
        </button>
        <input
          ref={input}
          type="file"
          accept="application/json,.json"
          hidden
          onChange={({ target }) => {
            void open(target.files?.[0]);
            target.value = ''; // else the same file could not be opened again
          }}
        />
      </div>
    </header>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(() => {
    const stored = localStorage.getItem('theme');
    return themes.find((name) => name === stored) ?? 'system';
  });
  useEffect(() => {
    localStorage.setItem('theme', theme);
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <button
      type="button"
      onClick={() => setTheme(next)}
      title={`Colours: ${theme}. Change to ${next}`}
      aria-label={`Colours: ${theme}`}
    >
      {theme === 'dark' ? '☾' : theme === 'light' ? '☀' : '◐'}
    </button>
  );
}

function save(store: Store): void {
  const blob = new Blob([JSON.stringify(store.recording())], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `inspection-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
