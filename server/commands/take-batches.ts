import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import { fromHex } from '../../contract/verification/bytes.js';
import { batchHeader } from '../../contract/verification/verify-batch.js';
import { readLogConfig } from '../config.js';
import { OperatorError } from '../errors.js';
import { createSigner, publicBatchKey } from '../features/publisher/batch.rules.js';
import { createOracle } from '../features/publisher/oracle.js';
import { createBatchStore } from '../features/publisher/store.js';
import { CannotTake, createTakeBatches, type WholeBatch } from '../features/publisher/take-batches.js';
import { publisherLease } from '../features/publisher/tick.js';
import { silentLogger } from '../logger.js';
import { createLeases } from '../mongo/leases.js';
import { prepareCollections } from '../mongo/models.js';
import { createInLeasedTransaction, createInTransaction } from '../mongo/transactions.js';
import { createConnectors } from '../outbound/outbound.js';
import { type Command, onServiceDatabase, type Result } from './command.js';

export const takeBatches: Command = {
  usage: '[--file <file>]',
  does: 'Takes the published batches that a restored database lacks from the oracle or a file.',
  guide: 'docs/publisher.md, "After a restore"',
  run(args) {
    const { values } = parseArgs({ args, options: { file: { type: 'string' } } });
    const file = values.file === undefined ? [] : readBatches(values.file);
    return onServiceDatabase((connection) => takeInto(connection, file));
  },
};

const filedBatch = z.object({
  header: batchHeader,
  signature: z.string(),
  entries: z.array(z.object({}).passthrough()),
});

function readBatches(file: string): WholeBatch[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line, index) => {
    try {
      return filedBatch.parse(JSON.parse(line));
    } catch {
      throw new OperatorError(`${file}, line ${index + 1}: is no batch with its entries.`);
    }
  });
}

async function takeInto(connection: Connection, file: readonly WholeBatch[]): Promise<Result> {
  const { oracleUrl, publisherSecretKey, publisherOldKeys } = readLogConfig(process.env);
  if (oracleUrl === undefined && file.length === 0)
    throw new OperatorError('There is nothing to take batches from: set ORACLE_URL, or name a --file.');
  const batches = createBatchStore(connection);
  await prepareCollections(connection);
  const leases = createLeases({ connection, owner: `take-batches-${process.pid}`, logger: silentLogger });
  await leases.seed([publisherLease]);
  const connectors = createConnectors({ allow: [], operators: [oracleUrl] });
  const take = createTakeBatches({
    batches,
    leases,
    inLeasedTransaction: createInLeasedTransaction(createInTransaction(connection)),
    oracle:
      oracleUrl === undefined ? undefined : createOracle({ url: oracleUrl, outbound: connectors.operators }),
    file,
    keys: [
      ...(publisherSecretKey === undefined ? [] : [createSigner(publisherSecretKey)]),
      ...publisherOldKeys.map((key) => publicBatchKey(fromHex(key))),
    ],
  });
  try {
    const run = await take();
    if (!run.ran)
      throw new OperatorError(`A tick has been running since ${run.startedAt}: stop every instance first.`);
    return { report: run.value, complete: true };
  } catch (error) {
    if (!(error instanceof CannotTake)) throw error;
    return { report: { missing: error.message }, complete: false };
  } finally {
    await connectors.close();
  }
}
