// `npx node examples/web-chat/main.ts`: the chat on a scripted model. Open the address in two tabs.

import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { createEngine, defineTool, textOf, type Approve, type Engine, type Model } from '../../src/index.ts';
import { scriptedModel, type ScriptedStepSource } from '../../src/testing/index.ts';
import { pageFiles } from './page-files.ts';
import { createChat } from './server.ts';

/** An engine with a tool that wants to be approved, and a model that says how it was steered. */
export function demoEngine(approve: Approve): Engine {
  const deploy = defineTool({
    name: 'deploy',
    description: 'Deploys the site.',
    parameters: z.object({ to: z.string() }),
    preview: ({ to }) => ({ deploys: to }),
    execute: ({ to }) => `deployed to ${to}`,
  });
  const asked: ScriptedStepSource = {
    text: 'I would deploy to staging.',
    calls: [{ name: 'deploy', args: { to: 'staging' } }],
    chunks: 4,
  };
  const answered: ScriptedStepSource = ({ messages }) => {
    const wishes = messages.filter(({ role }) => role === 'user').map(textOf);
    return { text: `Done. You told me: ${wishes.join(' / ')}`, chunks: 4 };
  };
  // Twenty turns are enough for a demonstration.
  const model = scriptedModel(Array.from({ length: 20 }, () => [asked, answered]).flat());
  return createEngine({ model: paced(model), tools: [deploy], approve });
}

/** The same model at the speed of a real one, so that there is time to steer. */
function paced(model: Model): Model {
  return {
    ...model,
    stream: async function* (request, options) {
      for await (const event of model.stream(request, options)) {
        await setTimeout(150, undefined, { signal: options.signal });
        yield event;
      }
    },
  };
}

if (import.meta.main) {
  const { server } = createChat(demoEngine, await pageFiles());
  server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`);
  });
}
