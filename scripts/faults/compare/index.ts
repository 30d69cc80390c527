import { fromHex } from '../../../contract/verification/bytes.js';
import { publicKeyOf } from '../../../contract/verification/ed25519.js';
import { encodePublicKey } from '../../../contract/verification/strkey.js';
import { batchKeyId } from '../../../contract/verification/verify-batch.js';
import type { ReferenceOracle } from '../../reference-oracle/index.js';
import { readLedger } from '../ledger.js';
import { entriesOf, type LedgerEntry } from '../ledger-entries.js';
import type { Comparison } from '../ports.js';
import { compareBatches } from './batches.rules.js';
import { compareCounts } from './counts.rules.js';
import { compareDeliveries } from './deliveries.rules.js';
import { compareDisputes } from './disputes.rules.js';
import { compareEvents } from './events.rules.js';
import { compareIntents } from './intents.rules.js';
import { readStored, type Stored } from './stored.js';
import { compareTransitions } from './transitions.rules.js';
import { compareWebhooks } from './webhooks.rules.js';

/** What sources other than the database know about the run. */
export interface Witnesses {
  /** The environment of the service. */
  env: Readonly<Record<string, string>>;
  oracle: Pick<ReferenceOracle, 'taken'>;
  anchors: { anchors: readonly { id: string }[] };
}

export interface CompareOptions {
  mongoUri: string;
  ledgerFile: string;
  surroundings: Witnesses;
}

/**
 * Compares, by id and both ways, the answers that the driver received with what the database contains, what the oracle
 * accepted and what the receivers got. Run it after the traffic has settled and the service has stopped, so that nothing
 * changes meanwhile.
 */
export async function compare(options: CompareOptions): Promise<Comparison> {
  const { mongoUri, ledgerFile, surroundings } = options;
  const entries = await readLedger(ledgerFile);
  const stored = await readStored(mongoUri);
  const { intents, disputes, webhooks, events, deliveries, batches, counts } = stored;
  const key = publicKeyOf(fromHex(surroundings.env.PUBLISHER_SECRET_KEY ?? ''));
  const publisherKeys = [{ keyId: batchKeyId(key), publicKey: encodePublicKey(key) }];
  const anchorIds = surroundings.anchors.anchors.map(({ id }) => id);
  return {
    compared: countsOf(entries, stored),
    findings: [
      ...compareIntents(entries, intents),
      ...compareTransitions(entries, intents),
      ...compareDisputes(entries, disputes, intents),
      ...compareBatches(entries, batches, surroundings.oracle.taken(), publisherKeys),
      ...compareWebhooks(entries, webhooks),
      ...compareEvents(entries, events, { intents, disputes, batches, webhooks, anchorIds }),
      ...compareDeliveries(entries, deliveries, events, webhooks),
      ...compareCounts(intents, counts),
    ],
  };
}

/** The number of each kind, so that an empty comparison is visible. */
function countsOf(entries: readonly LedgerEntry[], stored: Stored): Record<string, number> {
  const kinds = [
    ['intents acknowledged', 'intent_acknowledged'],
    ['transactions acknowledged', 'transaction_acknowledged'],
    ['outcomes told', 'outcome_told'],
    ['transitions told', 'transition_told'],
    ['disputes acknowledged', 'dispute_acknowledged'],
    ['decisions acknowledged', 'decision_acknowledged'],
    ['webhooks acknowledged', 'webhook_acknowledged'],
    ['batches told', 'batch_told'],
    ['deliveries received', 'delivery_received'],
  ] as const;
  const ofLedger = kinds.map(([name, kind]) => [name, entriesOf(entries, kind).length]);
  const { intents, disputes, webhooks, events, deliveries, batches, counts } = stored;
  const ofDatabase = Object.entries({ intents, disputes, webhooks, events, deliveries, batches }).map(
    ([name, items]) => [`${name} stored`, items.length],
  );
  return Object.fromEntries([...ofLedger, ...ofDatabase, ['roll-ups stored', counts.rollups.size]]);
}
