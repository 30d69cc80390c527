import {
  batchHeaderHash,
  batchKeyId,
  CanonicalJsonError,
  canonicalJson,
  createMerkleAccumulator,
  entryLeafHash,
  entryProof,
  formulaOfEntry,
  hasEnough,
  inclusionPath,
  isKnownFormula,
  isSmallOrder,
  parsePublicKey,
  publishedBatch,
  receiptFault,
  StrkeyError,
  type scoreCard,
  scoreOf,
  verifyBatch,
  verifyEntry,
} from '@fairlead/contract';
import type { Evidence, Fact, ListedKey, Source, Step, StepId, Trust, Wanted } from './step.js';

type Batch = ReturnType<typeof publishedBatch.parse>;
type Card = ReturnType<typeof scoreCard.parse>;

interface Proof {
  /** The entry as answered: every member is hashed, including those that this version does not know. */
  entry: object;
  card: Card;
  index: number;
  size: number;
  leafHash: string;
  proof: string[];
  batch: Batch;
}

/**
 * Checks everything that can be checked of a score without believing the service, one step after the other. Steps do
 * not depend on each other's result, so that a changed byte shows in each step that it breaks; an answer that is not of its
 * form ends the check.
 */
export function* checkScore(evidence: Evidence, wanted: Wanted, trust: Trust): Generator<Step, void> {
  const { value: proof, fault } = readProof(evidence.proof);
  yield proof === undefined
    ? failed('form', 'malformed_answer', [fact('answer', fault)])
    : held('form', [fact('answer', Object.keys(proof).join(', '))]);
  if (proof === undefined) return;
  const { batch } = proof;
  const headerHash = batchHeaderHash(batch.header);
  yield checkAsked(proof, wanted);
  yield checkLeaf(proof);
  yield checkPath(proof);
  yield checkEntries(proof, evidence.entries);
  yield checkHeader(batch, headerHash);
  yield checkKey(batch, trust);
  yield checkSignature(batch, trust);
  yield checkChain(batch, evidence.previous, trust);
  yield checkMemory(evidence.remembered, trust);
  yield checkReceipt(batch, headerHash, trust.oracle ?? oracleOf(evidence.previous));
  yield checkRecomputed(proof.card);
}

function readProof(answer: unknown): { value?: Proof; fault: string } {
  const form = entryProof.safeParse(answer);
  if (!form.success) {
    const [issue] = form.error.issues;
    return { fault: `${issue?.path.join('.')}: ${issue?.message}` };
  }
  const { entry } = answer as Proof;
  if (leafOf(entry) === undefined) return { fault: 'entry' };
  return { value: { ...form.data, entry, card: form.data.entry }, fault: '' };
}

function checkAsked({ entry, card, batch }: Proof, wanted: Wanted): Step {
  const { header } = batch;
  const { anchorId, corridor, window } = card;
  const facts = [
    fact('anchor', anchorId),
    fact('corridor', corridor),
    fact('window', String(window)),
    fact('batch', String(header.sequence)),
    fact('formula', header.formula),
  ];
  const isAsked =
    anchorId === wanted.anchor && corridor === wanted.corridor && header.sequence === wanted.sequence;
  if (!isAsked) return failed('asked', 'not_asked', facts);
  if (!isKnownFormula(header.formula)) return failed('asked', 'unknown_formula', facts);
  if (formulaOfEntry(entry) !== header.formula) return failed('asked', 'formula_mismatch', facts);
  return held('asked', facts);
}

function checkLeaf({ entry, leafHash }: Proof): Step {
  const computed = toHex(entryLeafHash(entry));
  const facts = [
    fact('entry', canonicalJson(entry)),
    fact('leafComputed', computed),
    fact('leafTold', leafHash),
  ];
  return computed === leafHash ? held('leaf', facts) : failed('leaf', 'other_leaf', facts);
}

function checkPath({ entry, index, size, proof, batch: { header } }: Proof): Step {
  const nodes = inclusionPath({ leafHash: entryLeafHash(entry), index, size, proof: proof.map(fromHex) });
  const facts = [
    fact('place', `${index + 1} / ${size}`),
    fact('siblings', proof.join('\n')),
    fact('nodes', (nodes ?? []).map(toHex).join('\n')),
    fact('rootComputed', nodes === null ? '–' : toHex(nodes.at(-1) ?? new Uint8Array())),
    fact('rootSigned', header.root),
  ];
  if (size !== header.size) return failed('path', 'size_mismatch', facts);
  return verifyEntry({ entry, index, size, proof, header })
    ? held('path', facts)
    : failed('path', 'root_mismatch', facts);
}

/** The whole batch: its entries in order, each anchor and corridor once, with the signed root; ours among them. */
function checkEntries(proof: Proof, entries: readonly unknown[] | null): Step {
  const { header } = proof.batch;
  if (entries === null) return open('entries', 'too_many', [fact('count', String(header.size))]);
  const tree = createMerkleAccumulator();
  const facts = [fact('count', `${entries.length} / ${header.size}`)];
  let before = '';
  for (const entry of entries as Card[]) {
    const leaf = leafOf(entry);
    if (leaf === undefined) return failed('entries', 'malformed_entry', facts);
    const key = `${entry.anchorId} ${entry.corridor}`;
    if (key <= before) return failed('entries', 'order', facts);
    before = key;
    if (formulaOfEntry(entry) !== header.formula) return failed('entries', 'formula_mismatch', facts);
    tree.append(leaf);
  }
  const root = toHex(tree.root());
  facts.push(fact('rootComputed', root), fact('rootSigned', header.root));
  if (entries.length !== header.size) return failed('entries', 'size_mismatch', facts);
  if (root !== header.root) return failed('entries', 'root_mismatch', facts);
  const listed = entries[proof.index];
  return listed !== undefined && canonicalJson(listed) === canonicalJson(proof.entry)
    ? held('entries', facts)
    : failed('entries', 'other_entry', facts);
}

function checkHeader({ header, headerHash }: Batch, computed: string): Step {
  const facts = [
    fact('header', canonicalJson(header)),
    fact('headerComputed', computed),
    fact('headerTold', headerHash),
  ];
  return computed === headerHash ? held('header', facts) : failed('header', 'other_header_hash', facts);
}

/** Checks that the key of the header is trusted, has the id that the header names, and is given beside the batch as well. */
function checkKey({ header, publicKey }: Batch, { keys, source }: Trust): Step {
  const trusted = keys.find(({ keyId }) => keyId === header.keyId);
  const facts = [fact('keyId', header.keyId), fact('key', trusted?.publicKey ?? publicKey)];
  if (trusted === undefined) return failed('key', keyFault('unknown_key', source), facts);
  if (readKey(trusted.publicKey)?.keyId !== header.keyId) return failed('key', 'malformed_key', facts);
  return readKey(publicKey)?.keyId === header.keyId
    ? held('key', facts)
    : failed('key', 'other_key_beside', facts);
}

function checkSignature({ header, signature }: Batch, { keys, source }: Trust): Step {
  const result = verifyBatch({ header, signature, keys });
  const facts = [fact('signature', signature)];
  return result.ok ? held('signature', facts) : failed('signature', keyFault(result.reason, source), facts);
}

/**
 * Checks that the header names the hash of the previous batch, whose signature is checked as well. That signature is left
 * open if the reader brought a key and another one made it: the first batch after a change of keys follows such a batch.
 */
function checkChain({ header, signature }: Batch, answer: unknown, { keys, source }: Trust): Step {
  if (answer === null) {
    const isFirst = header.sequence === 1 && header.previous === null;
    return isFirst ? held('chain', []) : failed('chain', 'broken_chain', []);
  }
  const form = publishedBatch.safeParse(answer);
  if (!form.success) return failed('chain', 'malformed_answer', []);
  const before = form.data;
  const beforeHash = batchHeaderHash(before.header);
  const facts = [
    fact('previousNamed', String(header.previous)),
    fact('previousComputed', beforeHash),
    fact('made', header.createdAt),
    fact('previousMade', before.header.createdAt),
  ];
  const previous = { sequence: before.header.sequence, headerHash: beforeHash };
  const signed = verifyBatch({ ...before, keys });
  const isByOtherKey = !signed.ok && keyFault(signed.reason, source) === 'not_own_key';
  if (!signed.ok && !isByOtherKey) return failed('chain', 'previous_refuted', facts);
  const link = verifyBatch({ header, signature, keys, previous });
  if (!link.ok && link.reason === 'broken_chain') return failed('chain', 'broken_chain', facts);
  if (Date.parse(header.createdAt) < Date.parse(before.header.createdAt))
    return failed('chain', 'earlier_time', facts);
  return isByOtherKey ? open('chain', 'previous_by_other_key', facts) : held('chain', facts);
}

/** Checks that the log still contains what an earlier check recorded. */
function checkMemory(answer: unknown, { head, keys, source }: Trust): Step {
  if (head === undefined) return open('memory', 'first_visit', []);
  const facts = [fact('remembered', `${head.sequence}: ${head.headerHash}`)];
  if (answer === null) return failed('memory', 'missing', facts);
  const form = publishedBatch.safeParse(answer);
  if (!form.success) return failed('memory', 'malformed_answer', facts);
  const now = verifyBatch({ ...form.data, keys });
  // Another key verified the remembered batch: the key that the reader brings now says nothing about it.
  if (!now.ok && now.reason === 'unknown_key' && source === 'reader')
    return open('memory', 'other_own_key', facts);
  if (!now.ok) return failed('memory', keyFault(now.reason, source), facts);
  facts.push(fact('stillThere', `${form.data.header.sequence}: ${now.headerHash}`));
  return now.headerHash === head.headerHash ? held('memory', facts) : failed('memory', 'rewritten', facts);
}

function checkReceipt({ header, receipt }: Batch, headerHash: string, oracle: string | undefined): Step {
  if (receipt === null) return open('receipt', 'no_receipt', []);
  const facts = [fact('oracle', receipt.oracle), fact('received', receipt.receivedAt)];
  const fault = receiptFault(receipt, { sequence: header.sequence, headerHash }, oracle);
  return fault === null ? held('receipt', facts) : failed('receipt', fault, facts);
}

/** The oracle of the batch before, which is held to be that of this one where no other is known. */
function oracleOf(previous: unknown): string | undefined {
  return publishedBatch.safeParse(previous).data?.receipt?.oracle;
}

function checkRecomputed(card: Card): Step {
  const { outcomes, filled, accountDays, days90 } = card;
  const { meanShortfall, p50SettleSeconds, speedTargetSeconds } = card;
  const computed = scoreOf(card);
  const facts = [
    fact('outcomes', String(outcomes)),
    fact('filled', String(filled)),
    fact('accountDays', String(accountDays)),
    fact('days90', String(days90)),
    fact('meanShortfall', meanShortfall ?? '–'),
    fact('typicalSeconds', String(p50SettleSeconds ?? '–')),
    fact('targetSeconds', String(speedTargetSeconds)),
    fact('scoreComputed', computed ?? '–'),
    fact('scorePublished', card.score ?? '–'),
  ];
  const agrees = computed === card.score && hasEnough(card) === (card.state === 'scored');
  return agrees ? held('score', facts) : failed('score', 'other_score', facts);
}

/** The leaf hash of an entry; undefined where it is nothing that can be hashed. */
function leafOf(entry: object): Uint8Array | undefined {
  try {
    return entryLeafHash(entry);
  } catch (error) {
    if (error instanceof CanonicalJsonError) return undefined;
    throw error;
  }
}

/** Parses a key, `G…` or hex, for a check; undefined if the text is not a key that may sign. */
export function readKey(text: string): ListedKey | undefined {
  try {
    const { account, key } = parsePublicKey(text);
    return isSmallOrder(key) ? undefined : { keyId: batchKeyId(key), publicKey: account };
  } catch (error) {
    if (error instanceof StrkeyError) return undefined;
    throw error;
  }
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Renames a fault for the reader: a reader who brought the key must not be told to bring it. */
function keyFault(fault: string, source: Source): string {
  const isOwn = source === 'reader' || source === 'readerBefore';
  return fault === 'unknown_key' && isOwn ? 'not_own_key' : fault;
}

function fact(label: string, value: string): Fact {
  return { label, value };
}

function held(id: StepId, facts: Fact[]): Step {
  return { id, status: 'held', facts };
}

function failed(id: StepId, why: string, facts: Fact[]): Step {
  return { id, status: 'failed', why, facts };
}

function open(id: StepId, why: string, facts: Fact[]): Step {
  return { id, status: 'open', why, facts };
}
