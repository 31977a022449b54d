// The hosted Stately Inspector from a page: a window beside it shows the agent that runs in it.

// #region page
import { createBrowserInspector } from '@statelyai/inspect';
import { createEngine, createOperative, type Model, type Operative } from '../../src/index.ts';
import { withTranscript } from '../../src/inspect/index.ts';

/** Call it in a click handler: otherwise browsers block the window. */
export function inspectedOperative(model: Model): Operative {
  const inspector = createBrowserInspector();
  if (!('inspect' in inspector)) throw new Error('The inspector needs a window.');
  return createOperative({ engine: createEngine({ model, inspect: withTranscript(inspector.inspect) }) });
}
// #endregion page
