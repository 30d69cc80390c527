import { beforeAll, describe, expect, it } from '@jest/globals';
import type { PublishedBatch } from '../../../contract/schemas/publisher.js';
import { type BatchHeader, batchHeaderHash } from '../../../contract/verification/verify-batch.js';
import { createSigner, type Signer } from '../../../server/features/publisher/batch.rules.js';
import english from '../../../web/locales/en.json' with { type: 'json' };
import { checkScore, readKey } from '../../../web/src/pages/proof/check-score.js';
import type { Evidence, Step, Trust, Wanted } from '../../../web/src/pages/proof/step.js';
import { batchesPath, publisherFixture } from '../../fixtures/publisher/publisher-over-http.js';
import { expectFor } from '../../support/expect-for.js';

const fixture = await publisherFixture();
const otherKey = {
  keyId: '91c7039b64d909ea',
  publicKey: 'GBRGDMOQVTCSLB25XMST23FC3EWIWQYT277FI4SIXNE6UAJ7VAO3L4Z3',
};

/** The key with which the publisher signs now. */
const currentKey = createSigner('15'.repeat(32));
const earlierKey = createSigner('16'.repeat(32));

let first: PublishedBatch;
let second: PublishedBatch;
let evidence: Evidence;
let trust: Trust;
const wanted: Wanted = { sequence: 2, anchor: 'harbour', corridor: 'usdc-ngn' };

beforeAll(async () => {
  first = await fixture.publish();
  second = await fixture.publish();
  const body = async (path: string) => (await fixture.get(path)).body as { items: unknown[] };
  evidence = {
    proof: await body(`${batchesPath}/2/proof?anchor=harbour&corridor=usdc-ngn`),
    previous: await body(`${batchesPath}/1`),
    entries: (await body(`${batchesPath}/2/entries?limit=100`)).items,
    remembered: undefined,
  };
  const { keyId } = second.header;
  trust = {
    keys: [{ keyId, publicKey: second.publicKey }],
    source: 'service',
    oracle: undefined,
    head: undefined,
  };
});

const stepsOf = (of: Evidence = evidence, by: Trust = trust, asked: Wanted = wanted): Step[] => [
  ...checkScore(of, asked, by),
];
const failedIn = (steps: Step[]) =>
  Object.fromEntries(steps.filter(({ status }) => status === 'failed').map(({ id, why }) => [id, why]));

describe('the check of a published score', () => {
  it('holds in every step, and leaves open only what there is nothing to compare with', () => {
    const steps = stepsOf();
    const named = Object.keys(english.proof).filter((key) => key.startsWith('step_'));
    expect(steps.map(({ id }) => `step_${id}`)).toEqual(named);
    expect(failedIn(steps)).toEqual({});
    expect(steps.filter(({ status }) => status === 'open').map(({ id }) => id)).toEqual(['memory']);
  });

  const entry = { leaf: 'other_leaf', path: 'root_mismatch', entries: 'other_entry', score: 'other_score' };
  const header = { header: 'other_header_hash', signature: 'bad_signature', receipt: 'other_batch' };
  const brokenBy: Record<string, Partial<Record<string, string>>> = {
    'entry.score': entry,
    'entry.filled': entry,
    'proof.0': { path: 'root_mismatch' },
    'batch.header.root': { ...header, path: 'root_mismatch', entries: 'root_mismatch' },
    'batch.header.previous': { ...header, chain: 'broken_chain' },
    'batch.header.createdAt': header,
    'batch.signature': { signature: 'bad_signature' },
    'batch.receipt.signature': { receipt: 'bad_receipt_signature' },
  };
  it('says every fact in words of the page, and why a step failed or is open', () => {
    const texts = new Set(Object.keys(english.proof));
    for (const entries of [evidence.entries, [], null])
      for (const { status, why, facts } of stepsOf({ ...evidence, entries })) {
        const part = status === 'failed' ? 'fault' : 'opening';
        const keys = [...facts.map(({ label }) => `fact_${label}`), ...(why ? [`${part}_${why}`] : [])];
        expect(keys.filter((key) => !texts.has(key))).toEqual([]);
      }
  });

  it.each(Object.keys(brokenBy))(
    'fails in each step that a changed character breaks, and in no other: %s',
    (place) => {
      const proof: unknown = structuredClone(evidence.proof);
      const names = place.split('.');
      const holder = names.slice(0, -1).reduce((value, name) => Object(value)[name], proof);
      const value = String(Object(holder)[names.at(-1) ?? '']);
      const at = value.search(/[0-9a-f](?=[^0-9a-f]*$)/i);
      const changed = `${value.slice(0, at)}${value[at] === '1' ? '2' : '1'}${value.slice(at + 1)}`;
      Object(holder)[names.at(-1) ?? ''] = place.endsWith('filled') ? Number(changed) : changed;
      expect(failedIn(stepsOf({ ...evidence, proof }))).toEqual(brokenBy[place]);
    },
  );

  it('notices a change of any character of the answer that it does not refuse as malformed', () => {
    const text = JSON.stringify(evidence.proof);
    for (let at = 0; at < text.length; at += 31) {
      const digit = /[0-9a-f]/.test(text.charAt(at)) ? (text.charAt(at) === '1' ? '2' : '1') : 'x';
      const changed = `${text.slice(0, at)}${digit}${text.slice(at + 1)}`;
      let proof: unknown;
      try {
        proof = JSON.parse(changed);
      } catch {
        continue;
      }
      // The time at which the receipt was stored is shown beside the batch, but not signed.
      if (JSON.stringify(withoutSubmission(proof)) === JSON.stringify(withoutSubmission(evidence.proof)))
        continue;
      const steps = stepsOf({ ...evidence, proof });
      expectFor(changed.slice(Math.max(0, at - 20), at + 20), failedIn(steps)).not.toEqual({});
    }
  });

  it('ends at the first step where the answer is not of its form, and hashes nothing', () => {
    for (const proof of [null, {}, [], 'proof', { ...(evidence.proof as object), proof: ['zz'] }])
      expect(stepsOf({ ...evidence, proof })).toMatchObject([{ id: 'form', why: 'malformed_answer' }]);
  });

  it('accuses no memory and asks for no key where the reader brought one that did not sign', () => {
    const head = { sequence: 1, headerHash: first.headerHash };
    const own: Trust = { ...trust, keys: [otherKey], source: 'reader', head };
    const steps = stepsOf({ ...evidence, remembered: first }, own);
    expect(failedIn(steps)).toEqual({ key: 'not_own_key', signature: 'not_own_key' });
    expect(steps.find(({ id }) => id === 'memory')?.why).toBe('other_own_key');
    // Where the reader remembers an earlier key as their own, that key must have signed what is remembered.
    const remembered = stepsOf({ ...evidence, remembered: first }, { ...own, source: 'readerBefore' });
    expect(failedIn(remembered)).toMatchObject({ memory: 'not_own_key' });
  });

  it.each(['reader', 'readerBefore'] as const)(
    'leaves the link open where another key than that of the %s signed the batch before',
    (source) => {
      const before = signedBy(earlierKey, first);
      const rotated = (parts: Partial<BatchHeader> = {}): Evidence => {
        const batch = signedBy(currentKey, second, { previous: before.headerHash, ...parts });
        return { ...evidence, previous: before, proof: { ...(evidence.proof as object), batch } };
      };
      const own: Trust = { ...trust, source };
      expect(failedIn(stepsOf(rotated(), own))).toEqual({});
      expect(stepsOf(rotated(), own).find(({ id }) => id === 'chain')?.why).toBe('previous_by_other_key');
      // Everything that can be compared without that key is still compared.
      expect(failedIn(stepsOf(rotated({ previous: first.headerHash }), own))).toEqual({
        chain: 'broken_chain',
      });
      const createdAt = '2020-01-01T00:00:00.000Z';
      expect(failedIn(stepsOf(rotated({ createdAt }), own))).toEqual({ chain: 'earlier_time' });
      // The service names every key that signed, so a key that it leaves out is a fault.
      expect(failedIn(stepsOf(rotated(), trust))).toEqual({ chain: 'previous_refuted' });
    },
  );

  type Changed = [Partial<Evidence>, Partial<Trust>?, Partial<Wanted>?];
  const entriesOf = (change: (entries: object[]) => unknown[]): Changed => [
    { entries: change([...(evidence.entries ?? [])] as object[]) },
  ];
  const withLast = (parts: object) => entriesOf((all) => [...all.slice(0, -1), { ...all.at(-1), ...parts }]);
  const remembering = (remembered: unknown, headerHash = first.headerHash): Changed => [
    { remembered },
    { head: { sequence: 1, headerHash } },
  ];

  it.each<[string, () => Changed, Record<string, string>]>([
    ['another anchor than was asked for', () => [{}, {}, { anchor: 'squall' }], { asked: 'not_asked' }],
    ['another corridor', () => [{}, {}, { corridor: 'usdc-kes' }], { asked: 'not_asked' }],
    ['another batch', () => [{}, {}, { sequence: 1 }], { asked: 'not_asked' }],
    [
      'a key that is not trusted',
      () => [{}, { keys: [otherKey] }],
      { key: 'unknown_key', signature: 'unknown_key', chain: 'previous_refuted' },
    ],
    [
      'a key under the id of another',
      () => [{}, { keys: [{ ...otherKey, keyId: second.header.keyId }] }],
      { key: 'malformed_key', signature: 'malformed_key', chain: 'previous_refuted' },
    ],
    ['another oracle', () => [{}, { oracle: otherKey.publicKey }], { receipt: 'other_oracle' }],
    [
      'another oracle than that of the batch before',
      () => [{ previous: { ...first, receipt: { ...first.receipt, oracle: otherKey.publicKey } } }],
      { receipt: 'other_oracle' },
    ],
    ['no batch before', () => [{ previous: null }], { chain: 'broken_chain' }],
    ['another batch before', () => [{ previous: second }], { chain: 'broken_chain' }],
    [
      'an unsigned batch before',
      () => [{ previous: { ...first, signature: second.signature } }],
      { chain: 'previous_refuted' },
    ],
    ['entries that lack one', () => entriesOf((all) => all.slice(1)), { entries: 'size_mismatch' }],
    ['entries that are there twice', () => entriesOf((all) => [...all, ...all]), { entries: 'order' }],
    ['entries in another order', () => entriesOf((all) => all.reverse()), { entries: 'order' }],
    ['an entry that was changed', () => withLast({ filled: 1 }), { entries: 'root_mismatch' }],
    ['an entry that cannot be hashed', () => withLast({ filled: 1.5 }), { entries: 'malformed_entry' }],
    ['an entry that is none', () => entriesOf(() => [null]), { entries: 'malformed_entry' }],
    ['a log that lost what was remembered', () => remembering(null), { memory: 'missing' }],
    ['a log that was rewritten', () => remembering(first, second.headerHash), { memory: 'rewritten' }],
  ])('refuses %s', (_, change, failed) => {
    const [of, by, asked] = change();
    const found = failedIn(stepsOf({ ...evidence, ...of }, { ...trust, ...by }, { ...wanted, ...asked }));
    expect(found).toMatchObject(failed);
    // All that the change does not touch holds.
    expect(Object.keys(found).filter((id) => !(id in failed) && id !== 'score')).toEqual([]);
  });

  it('holds with what an earlier check remembered, and fetches no entries where they are too many', () => {
    const [remembered, head] = remembering(first);
    expect(failedIn(stepsOf({ ...evidence, ...remembered }, { ...trust, ...head }))).toEqual({});
    const open = stepsOf({ ...evidence, entries: null }).find(({ id }) => id === 'entries');
    expect(open?.why).toBe('too_many');
  });
});

describe('a key that a reader pastes', () => {
  it('is taken as an account or as hex digits, with its id', () => {
    expect(readKey(otherKey.publicKey)).toEqual(otherKey);
    expect(readKey('01'.padEnd(64, '0'))).toBeUndefined();
    for (const text of ['', 'G', `${otherKey.publicKey}A`, otherKey.publicKey.replace('G', 'S')])
      expect(readKey(text)).toBeUndefined();
  });
});

function withoutSubmission(proof: unknown): unknown {
  const { batch, ...rest } = Object(proof) as { batch?: object };
  return { ...rest, batch: { ...batch, submittedAt: null } };
}

/** The batch with other parts of its header, signed anew, and not yet received by an oracle. */
function signedBy(key: Signer, batch: PublishedBatch, parts: Partial<BatchHeader> = {}): PublishedBatch {
  const header = { ...batch.header, keyId: key.keyId, ...parts };
  return {
    ...batch,
    header,
    headerHash: batchHeaderHash(header),
    signature: key.sign(header),
    publicKey: key.publicKey,
    receipt: null,
  };
}
