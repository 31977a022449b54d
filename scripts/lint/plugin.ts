// The project's own lint rules. Loaded by oxlint through .oxlintrc.json.

import { definePlugin } from '@oxlint/plugins';
import { boundedCharts } from './bounded-charts.ts';
import { completeInvokes } from './complete-invokes.ts';
import { describedStates } from './described-states.ts';
import { documentedExports } from './documented-exports.ts';
import { eventNames } from './event-names.ts';
import { hostOnly } from './host-only.ts';
import { importDirection } from './import-direction.ts';
import { noHiddenTransitions } from './no-hidden-transitions.ts';
import { oneSetup } from './one-setup.ts';
import { reasonedDisable } from './reasoned-disable.ts';

export default definePlugin({
  meta: { name: 'turnchart' },
  rules: {
    'bounded-charts': boundedCharts,
    'complete-invokes': completeInvokes,
    'described-states': describedStates,
    'documented-exports': documentedExports,
    'event-names': eventNames,
    'host-only': hostOnly,
    'import-direction': importDirection,
    'no-hidden-transitions': noHiddenTransitions,
    'one-setup': oneSetup,
    'reasoned-disable': reasonedDisable,
  },
});
