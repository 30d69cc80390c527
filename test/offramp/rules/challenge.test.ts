import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Keypair, Operation } from '@stellar/stellar-base';
import { challengeFault, challengeFaults } from '../../../contract/offramp/challenge.js';
import { brokenChallenges, type ChallengeParts, challengeOf } from '../../fixtures/offramp/challenges.js';

const keys = (label: string) => Keypair.fromRawEd25519Seed(createHash('sha256').update(label).digest());
const server = keys('an anchor');
const parts: ChallengeParts = {
  server,
  account: keys('a wallet').publicKey(),
  homeDomain: 'anchor.example',
  webAuthDomain: 'auth.anchor.example',
  networkPassphrase: 'A network',
  nowMs: Date.UTC(2026, 10, 22, 9, 30),
};
const expected = { ...parts, signingKey: server.publicKey() };

describe('a SEP-10 challenge', () => {
  it('is safe to sign as the standard has it, with further data of the server and a younger clock', () => {
    expect(challengeFault(challengeOf(parts).toXDR(), expected)).toBeNull();
    const more = Operation.manageData({ source: server.publicKey(), name: 'more', value: 'x' });
    expect(challengeFault(challengeOf(parts, { others: [more] }).toXDR(), expected)).toBeNull();
    const early = { ...expected, nowMs: parts.nowMs - 299_000 };
    expect(challengeFault(challengeOf(parts).toXDR(), early)).toBeNull();
  });

  it.each(brokenChallenges(parts))('%s is refused as `%s`', (_name, fault, envelope) => {
    expect(challengeFault(envelope, expected)).toBe(fault);
  });

  it('is tried for every fault there is', () => {
    const tried = new Set(brokenChallenges(parts).map(([, fault]) => fault));
    expect([...tried].sort()).toEqual(Object.keys(challengeFaults).sort());
  });
});
