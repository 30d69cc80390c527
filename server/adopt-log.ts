/**
 * Restores the published batches that the database lacks after a restore from a backup, and marks the log as whole, so
 * that publishing continues: `node dist/server/adopt-log.js`. `--archive FILE` supplies batches or entries that the
 * oracle lacks or does not show, `--head N` the number of the last batch if no oracle knows it, and `--drop-refused`
 * withdraws a batch that was made after the restore. Reads MONGODB_URI, MONGODB_DATABASE, ORACLE_URL,
 * PUBLISHER_SECRET_KEY and PUBLISHER_OLD_KEYS. Exits with 0 if the log is whole, with 1 if something is missing or does
 * not verify, and with 2 if the command failed, for example because the oracle did not answer.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { fromHex } from '../contract/verification/bytes.js';
import { readLogConfig } from './config.js';
import { createAdoptLog } from './features/publisher/adopt-log.js';
import { openArchive } from './features/publisher/archive-file.js';
import { createBatchWriter } from './features/publisher/batch-writer.js';
import { CannotAdopt } from './features/publisher/missing-batches.js';
import { createOracleRecords } from './features/publisher/oracle-record.js';
import { createSigner, publicBatchKey } from './features/publisher/signer.rules.js';
import { createPublisherStore } from './features/publisher/store.js';
import { publisherLease } from './features/publisher/tick.js';
import { silentLogger } from './logger.js';
import { createLeases } from './mongo/leases.js';
import { prepareCollections } from './mongo/models.js';
import { createInLeasedTransaction, createInTransaction } from './mongo/transactions.js';
import { onDatabase, refuse, runCommand } from './operator-command.js';
import { createConnectors } from './outbound/outbound.js';

interface Given {
  archive: string | undefined;
  head: number | undefined;
  dropRefused: boolean;
}

async function adoptLog(connection: Connection, given: Given): Promise<number> {
  const { oracleUrl, publisherSecretKey, publisherOldKeys } = readLogConfig(process.env);
  const store = createPublisherStore(connection);
  await prepareCollections(connection);
  const leases = createLeases({ connection, owner: `adopt-log-${process.pid}`, logger: silentLogger });
  await leases.seed([publisherLease]);
  const inLeasedTransaction = createInLeasedTransaction(createInTransaction(connection));
  const connectors = createConnectors({ allow: [], operators: [oracleUrl] });
  const archive = given.archive === undefined ? undefined : openArchive(given.archive);
  const adopt = createAdoptLog({
    ...store,
    leases,
    inLeasedTransaction,
    writer: createBatchWriter({
      ...store,
      inLeasedTransaction,
      newId: () => randomBytes(16).toString('hex'),
    }),
    records:
      oracleUrl === undefined
        ? undefined
        : createOracleRecords({ url: oracleUrl, outbound: connectors.operators }),
    archive,
    keys: [
      ...(publisherSecretKey === undefined ? [] : [createSigner(publisherSecretKey)]),
      ...publisherOldKeys.map((key) => publicBatchKey(fromHex(key))),
    ],
  });
  try {
    const run = await adopt(given);
    if (!run.ran) return refuse(`A tick has been running since ${run.startedAt}: stop every instance first.`);
    process.stdout.write(`${JSON.stringify(run.value, null, 2)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof CannotAdopt)) throw error;
    refuse(error.message);
    return 1;
  } finally {
    await archive?.close();
    await connectors.close();
  }
}

runCommand(async () => {
  const options = {
    archive: { type: 'string' },
    head: { type: 'string' },
    'drop-refused': { type: 'boolean', default: false },
  } as const;
  const { archive, head, 'drop-refused': dropRefused } = parseArgs({ options }).values;
  if (head !== undefined && !/^(0|[1-9]\d{0,14})$/.test(head))
    return refuse('--head must be the number of a batch.');
  const given = { archive, head: head === undefined ? undefined : Number(head), dropRefused };
  return onDatabase((connection) => adoptLog(connection, given));
});
