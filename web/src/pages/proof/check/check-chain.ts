import { type BatchHead, type BatchKey, publishedBatch, receiptFault, verifyBatch } from '@fairlead/contract';
import type { Source } from './evidence.js';
import { keyFault } from './key-fault.js';
import type { Fault } from './step.js';

/** The result of checking a batch. */
export interface CheckedBatch {
  sequence: number;
  headerHash: string;
  fault: Fault | null;
  /** Whether its link to the batch before was checked as well. */
  isLinked: boolean;
}

interface Trust {
  keys: readonly BatchKey[];
  source: Source;
  /** `G…`; the oracle of the first receipt where none is known. */
  oracle: string | undefined;
}

/**
 * A check that is handed batches one after the other, oldest first: form, signature, receipt, and that each follows the one
 * before. The link of the first that it is handed stays open, unless that is the first of all.
 */
export function createChainCheck(trust: Trust): (answer: unknown) => CheckedBatch {
  let before: BatchHead | undefined;
  let { oracle } = trust;
  return (answer) => {
    const form = publishedBatch.safeParse(answer);
    if (!form.success) return { ...toldHead(answer), fault: 'malformed_answer', isLinked: false };
    const { header, headerHash, signature, receipt } = form.data;
    const { sequence } = header;
    const previous = before ?? (sequence === 1 ? null : undefined);
    before = { sequence, headerHash };
    const result = verifyBatch({
      header,
      signature,
      keys: trust.keys,
      ...(previous === undefined ? {} : { previous }),
    });
    const checked = { sequence, headerHash, isLinked: previous !== undefined };
    if (!result.ok) return { ...checked, fault: keyFault(result.reason, trust.source) };
    if (result.headerHash !== headerHash) return { ...checked, fault: 'other_header_hash' };
    if (receipt === null) return { ...checked, fault: null };
    oracle ??= receipt.oracle;
    return { ...checked, fault: receiptFault(receipt, checked, oracle) };
  };
}

/** Checks batches that follow each other, oldest first. */
export function checkChain(answers: readonly unknown[], trust: Trust): CheckedBatch[] {
  return answers.map(createChainCheck(trust));
}

function toldHead(answer: unknown): BatchHead {
  const { header, headerHash } = Object(answer) as { header?: unknown; headerHash?: unknown };
  return { sequence: Number(Object(header).sequence), headerHash: String(headerHash) };
}
