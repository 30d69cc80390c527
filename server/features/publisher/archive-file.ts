import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
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

/** Leaves out a last line without a newline: the program or the copy ended while that batch was being written. */
async function* readBatches(file: string) {
  let number = 0;
  let fault: CannotAdopt | undefined;
  // The file is opened only here, because lines that are read before a consumer waits for them are lost.
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    if (fault !== undefined) throw fault;
    number += 1;
    const batch = archivedBatch.safeParse(parseJson(line));
    if (batch.success) yield batch.data;
    else fault = new CannotAdopt(`${file}, line ${number}: is no archived batch.`);
  }
  if (fault !== undefined && (await endsInNewline(file))) throw fault;
}

async function endsInNewline(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    return buffer.toString() === '\n';
  } finally {
    await file.close();
  }
}
