import { parseArgs } from 'node:util';
import { createOutcomeStore } from '../features/intents/outcome-store.js';
import { markEveryDay } from '../features/reputation/mark-every-day.js';
import { createMarkStore } from '../features/reputation/mark-store.js';
import { createRollupStore } from '../features/reputation/rollup-store.js';
import { type Command, onServiceDatabase } from './command.js';

export const rebuild: Command = {
  usage: '',
  does: 'Marks every day of outcomes, so that the refreshes of the service count all of them anew.',
  guide: 'docs/operations/run.md, "Commands"',
  run(args) {
    parseArgs({ args, options: {} });
    return onServiceDatabase(async (connection) => {
      const days = await markEveryDay({
        marks: createMarkStore(connection),
        rollups: createRollupStore(connection),
        outcomes: createOutcomeStore(connection),
      });
      return { report: { days }, complete: true };
    });
  },
};
