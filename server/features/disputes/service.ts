import type { IntentDispute } from '../../../contract/schemas/intents.js';
import { createDisputeDesk, type DeskDeps, type DisputeDesk } from './desk.js';
import { toIntentDispute } from './dispute-answer.rules.js';
import { createFileDispute, type FileDispute, type FilingDeps } from './filing.js';
import type { DisputeRecord } from './store.js';

export type DisputeServiceDeps = FilingDeps & DeskDeps;

export interface DisputeService extends DisputeDesk {
  file: FileDispute;
  /** The latest dispute of an intent, in short. */
  disputeOf(intentHash: string): Promise<IntentDispute | null>;
}

export function createDisputeService(deps: DisputeServiceDeps): DisputeService {
  return {
    file: createFileDispute(deps),
    ...createDisputeDesk(deps),
    async disputeOf(intentHash) {
      const latest = await deps.model.findOne({ intentHash }).sort({ _id: -1 }).lean<DisputeRecord>();
      return latest === null ? null : toIntentDispute(latest);
    },
  };
}
