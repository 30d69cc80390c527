import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { disputeOf, signer } from '../../fixtures/disputes/dispute-values.js';
import { type DisputesFixture, freshClient, openDisputes } from '../../fixtures/disputes/disputes-fixture.js';
import { startThreeMembers, type ThreeMembers } from '../../fixtures/limits/three-members.js';
import { waitFor } from '../../support/wait-for.js';

const owner = signer('ada');

let members: ThreeMembers;
let one: DisputesFixture;
/** Called when the intent of a dispute was found, and its attempt counted. */
let onFound: () => Promise<void> = async () => {};

beforeAll(async () => {
  members = await startThreeMembers();
  one = await openDisputes(members.uri, { onFound: () => onFound() });
}, 120_000);
afterAll(async () => {
  await one?.close();
  await members?.stop();
});

it('a dispute that the primary alone has is not acknowledged to whoever sends it a second time', async () => {
  // The dispute takes the last of the key's ten points: that is no reason to refuse it.
  const [intent, ...others] = await one.addIntents(owner, 10);
  if (intent === undefined) throw new Error('no intent');
  for (const other of others)
    expect((await one.file(disputeOf(other, owner), freshClient())).result).toBe('created');
  const body = disputeOf(intent, owner);
  const send = () => one.file(body, freshClient());

  // Both requests are past their attempts, which only a majority can count, before the others are cut off.
  let release = async () => {};
  let earlier: ReturnType<typeof send> | undefined;
  onFound = async () => {
    onFound = async () => {
      release = await members.holdReplication();
    };
    earlier = send();
    await earlier;
  };
  const later = await send();
  expect((await earlier)?.result).toBe('NOT_READY');
  const onPrimary = { readConcern: 'local' } as const;
  expect(await one.disputes.countDocuments({ intentHash: intent._id }, onPrimary)).toBe(1);
  expect(later.result).toBe('NOT_READY');

  onFound = async () => {};
  await release();
  await waitFor(async () => expect((await send()).result).toBe('known'), { timeout: 30_000 });
}, 120_000);
