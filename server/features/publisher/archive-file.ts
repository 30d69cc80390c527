import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { batchHeader } from '../../../contract/verification/verify-batch.js';
import { type Archive, CannotAdopt } from './missing-batches.js';
import { parseJson } from './oracle-record.rules.js';

const archivedBatch = z.object({
  header: batchHeader,
  signature: z.string(),
  entries: z.array(z.object({}).passthrough()),
});

/**
 * Reads an archive as `npm run archive-log` writes it: a batch with its entries per line, in order. Holds one batch at a
 * time.
 */
export function openArchive(file: string): Archive & { close(): Promise<unknown> } {
  const batches = readBatches(file);
  let current: z.infer<typeof archivedBatch> | undefined;
  return {
    async find(sequence) {
      while (current === undefined || current.header.sequence < sequence) {
        const { done, value } = await batches.next();
        if (done) return null;
        current = value;
      }
      return current.header.sequence === sequence ? current : null;
    },
    close: () => batches.return(undefined),
  };
}

async function* readBatches(file: string) {
  let number = 0;
  // The file is opened only here, because lines that are read before a consumer waits for them are lost.
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    number += 1;
    const batch = archivedBatch.safeParse(parseJson(line));
    if (!batch.success) throw new CannotAdopt(`${file}, line ${number}: is no archived batch.`);
    yield batch.data;
  }
}
