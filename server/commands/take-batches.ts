import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Connection } from 'mongoose';
import { fromHex } from '../../contract/verification/bytes.js';
import { readLogConfig } from '../config.js';
import { createAdoptLog } from '../features/publisher/adopt-log.js';
import { openArchive } from '../features/publisher/archive-file.js';
import { createBatchWriter } from '../features/publisher/batch-writer.js';
import { CannotAdopt } from '../features/publisher/missing-batches.js';
import { createOracleRecords } from '../features/publisher/oracle-record.js';
import { createSigner, publicBatchKey } from '../features/publisher/signer.rules.js';
import { createPublisherStore } from '../features/publisher/store.js';
import { publisherLease } from '../features/publisher/tick.js';
import { silentLogger } from '../logger.js';
import { createLeases } from '../mongo/leases.js';
import { prepareCollections } from '../mongo/models.js';
import { createInLeasedTransaction, createInTransaction } from '../mongo/transactions.js';
import { createConnectors } from '../outbound/outbound.js';
import { type Command, CommandError, onServiceDatabase, type Result } from './command.js';

interface Given {
  archive: string | undefined;
  head: number | undefined;
  dropRefused: boolean;
}

export const takeBatches: Command = {
  usage: '[--archive <file>] [--head <sequence>] [--drop-refused]',
  does: 'Takes the published batches that a restored database lacks from the oracle or a file.',
  details: `
--archive       a file of batches, or of entries, that the oracle lacks or does not show
--head          the number of the last batch, if no oracle knows it
--drop-refused  withdraws a batch that was made after the restore

Marks the log as whole, so that publishing continues. Reads MONGODB_URI, ORACLE_URL,
PUBLISHER_SECRET_KEY and PUBLISHER_OLD_KEYS. Exits with 1 where something is missing or does not
verify, and with 2 where it could not be done, as while the oracle does not answer.
`,
  run(args) {
    const options = {
      archive: { type: 'string' },
      head: { type: 'string' },
      'drop-refused': { type: 'boolean', default: false },
    } as const;
    const { archive, head, 'drop-refused': dropRefused } = parseArgs({ args, options }).values;
    if (head !== undefined && !/^(0|[1-9]\d{0,14})$/.test(head))
      throw new CommandError('--head must be the number of a batch.');
    const given = { archive, head: head === undefined ? undefined : Number(head), dropRefused };
    return onServiceDatabase((connection) => takeInto(connection, given));
  },
};

async function takeInto(connection: Connection, given: Given): Promise<Result> {
  const { oracleUrl, publisherSecretKey, publisherOldKeys } = readLogConfig(process.env);
  const store = createPublisherStore(connection);
  await prepareCollections(connection);
  const leases = createLeases({ connection, owner: `take-batches-${process.pid}`, logger: silentLogger });
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
      clock: Date.now,
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
    if (!run.ran)
      throw new CommandError(`A tick has been running since ${run.startedAt}: stop every instance first.`);
    return { report: run.value, complete: true };
  } catch (error) {
    if (!(error instanceof CannotAdopt)) throw error;
    return { report: { missing: error.message }, complete: false };
  } finally {
    await archive?.close();
    await connectors.close();
  }
}
