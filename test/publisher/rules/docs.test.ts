import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { publisherExamples } from '../../../contract/examples/publisher.js';
import { tickFailures } from '../../../contract/schemas/publisher.js';
import { batchHeaderHash, batchSigningBytes } from '../../../contract/verification/verify-batch.js';
import { oracleReceipt, receiptSigningBytes } from '../../../contract/verification/verify-receipt.js';
import { defaultRetry } from '../../../server/features/publisher/submitter.js';

const text = readFileSync(new URL('../../../docs/publisher.md', import.meta.url), 'utf8');

it('docs/publisher.md shows a header and its hash, and counts the signed bytes', () => {
  const header = JSON.parse(/```json\n([^`]+)```/.exec(text)?.[1] ?? '');
  expect(text).toContain(`\`${batchHeaderHash(header)}\``);
  expect(text).toContain(`over the ${batchSigningBytes(header).length} bytes \`fairlead.batch.v1\``);
  const receipt = oracleReceipt.parse(publisherExamples.getBatch.answer.receipt);
  expect(text).toContain(`over the ${receiptSigningBytes(receipt).length} bytes \`fairlead.receipt.v1\``);
});

it('docs/publisher.md names failures and waits as the code has them', () => {
  for (const [name] of text.matchAll(/`oracle_[a-z]+`/g)) {
    expect(Object.keys(tickFailures)).toContain(name.replaceAll('`', ''));
  }
  const { attempts, baseMs, factor, maxMs } = defaultRetry;
  const waits = Array.from({ length: attempts - 1 }, (_, index) => `${(baseMs * factor ** index) / 1_000} s`);
  expect(text).toContain(waits.join(', '));
  expect(text).toContain(`${maxMs / 1_000} s at most`);
});
