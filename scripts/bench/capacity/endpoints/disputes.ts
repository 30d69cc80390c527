import { randomBytes } from 'node:crypto';
import { publicKeyOf } from '../../../../contract/verification/ed25519.js';
import { signDispute } from '../../../../contract/verification/sign-dispute.js';
import { encodePublicKey } from '../../../../contract/verification/strkey.js';
import { settledIntent } from '../../lib/settled-intent.js';
import { type EndpointCases, same } from '../cases.js';
import type { EndpointRequest } from '../client.js';
import { adminHeaders, anchorId, type CapacityWorld } from '../world.js';

/** Disputes of settled intents, each signed by its own account. */
async function disputes(world: CapacityWorld, count: number): Promise<EndpointRequest[]> {
  const secretKeys = Array.from({ length: count }, () => new Uint8Array(randomBytes(32)));
  const intents = secretKeys.map((secretKey) => settledIntent(encodePublicKey(publicKeyOf(secretKey))));
  await world.insertIntents(intents);
  return intents.map(({ _id: intentHash }, place) => ({
    method: 'POST',
    path: '/api/reputation/dispute',
    body: signDispute({
      intentHash,
      anchorId,
      reason: 'Nothing arrived at the bank.',
      secretKey: secretKeys[place] as Uint8Array,
    }),
    expect: [201],
  }));
}

async function filed(world: CapacityWorld, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (const request of await disputes(world, count)) ids.push((await world.ask<{ id: string }>(request)).id);
  return ids;
}

export const disputeCases: EndpointCases = {
  fileDispute: [{ state: 'new', requests: 40, prepare: disputes }],
  listDisputes: [
    {
      state: 'a page',
      requests: 40,
      prepare: same({ method: 'GET', path: '/api/admin/disputes', headers: adminHeaders, expect: [200] }),
    },
  ],
  getDispute: [
    {
      state: 'each another dispute',
      requests: 40,
      prepare: async (world, requests) =>
        (await filed(world, requests)).map((id) => ({
          method: 'GET',
          path: `/api/admin/disputes/${id}`,
          headers: adminHeaders,
          expect: [200],
        })),
    },
  ],
  resolveDispute: [
    {
      state: 'accepted',
      requests: 40,
      prepare: async (world, requests) =>
        (await filed(world, requests)).map((id) => ({
          method: 'POST',
          path: '/api/admin/disputes',
          headers: adminHeaders,
          body: { id, action: 'accept', note: 'The bank confirms it.' },
          expect: [200],
        })),
    },
  ],
};
