import type { EndpointCase, EndpointCases } from '../cases.js';
import type { EndpointRequest } from '../client.js';
import { adminHeaders, type CapacityWorld } from '../world.js';

const path = '/api/admin/webhooks';
const registration = (url: string) => ({
  url,
  events: ['intent.settled'],
  secret: 'the secret of the bench',
});
let registeredId = '';

export async function registerWebhook(world: CapacityWorld): Promise<string> {
  const body = registration(`${world.receiverUrl}/plain`);
  const { id } = await world.ask<{ id: string }>({ method: 'POST', path, headers: adminHeaders, body });
  registeredId = id;
  return id;
}

/** Deletes the one that was registered last. */
export async function deleteWebhook(world: CapacityWorld): Promise<void> {
  await world.ask({ method: 'DELETE', path: `${path}/${registeredId}`, headers: adminHeaders });
}

/** Creates a webhook with this many deliveries of test events, all acknowledged. */
export async function withDeliveries(
  world: CapacityWorld,
  count: number,
): Promise<{ id: string; deliveries: string[] }> {
  const id = await registerWebhook(world);
  const deliveries: string[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const delivery = await world.ask<{ id: string }>({
      method: 'POST',
      path: `${path}/${id}/test`,
      headers: adminHeaders,
      body: {},
    });
    deliveries.push(delivery.id);
  }
  return { id, deliveries };
}

/** Requests to one webhook. */
function toOne(
  state: string,
  requests: number,
  make: (id: string, number: number) => Omit<EndpointRequest, 'headers'>,
): EndpointCase {
  return {
    state,
    requests,
    async prepare(world, requests) {
      const id = await registerWebhook(world);
      return Array.from({ length: requests }, (_, number) => ({
        headers: adminHeaders,
        ...make(id, number),
      }));
    },
    after: deleteWebhook,
  };
}

export const webhookCases: EndpointCases = {
  createWebhook: [
    {
      state: 'new',
      requests: 20,
      prepare: async ({ receiverUrl }, requests) =>
        Array.from({ length: requests }, () => ({
          method: 'POST',
          path,
          headers: adminHeaders,
          body: registration(`${receiverUrl}/plain`),
          expect: [201],
        })),
      async after({ connection }) {
        await connection.collection('webhooks').deleteMany({});
      },
    },
  ],
  listWebhooks: [toOne('one webhook', 40, () => ({ method: 'GET', path, expect: [200] }))],
  getWebhook: [toOne('', 40, (id) => ({ method: 'GET', path: `${path}/${id}`, expect: [200] }))],
  updateWebhook: [
    toOne('enabled and disabled in turns', 20, (id, number) => ({
      method: 'PATCH',
      path: `${path}/${id}`,
      body: { enabled: number % 2 === 1 },
      expect: [200],
    })),
  ],
  rotateWebhookSecret: [
    toOne('', 20, (id, number) => ({
      method: 'POST',
      path: `${path}/${id}/secret`,
      body: { secret: `another secret of the bench ${number}` },
      expect: [200],
    })),
  ],
  testWebhook: [
    toOne('with its delivery', 40, (id) => ({
      method: 'POST',
      path: `${path}/${id}/test`,
      body: {},
      expect: [202],
    })),
  ],
  listDeliveries: [
    {
      state: 'a page of 20',
      requests: 40,
      async prepare(world, requests) {
        const { id } = await withDeliveries(world, 20);
        return Array.from({ length: requests }, () => ({
          method: 'GET',
          path: `${path}/${id}/deliveries`,
          headers: adminHeaders,
          expect: [200],
        }));
      },
      after: deleteWebhook,
    },
  ],
  resendDelivery: [
    {
      state: 'with its delivery',
      requests: 40,
      async prepare(world, requests) {
        const { id, deliveries } = await withDeliveries(world, requests);
        return deliveries.map((deliveryId) => ({
          method: 'POST',
          path: `${path}/${id}/deliveries/${deliveryId}/resend`,
          headers: adminHeaders,
          expect: [202],
        }));
      },
      after: deleteWebhook,
    },
  ],
  resendFailedDeliveries: [
    toOne('nothing failed', 20, (id) => ({
      method: 'POST',
      path: `${path}/${id}/resend`,
      body: { since: new Date(Date.now() - 3_600_000).toISOString() },
      expect: [202],
    })),
  ],
  deleteWebhook: [
    {
      state: 'without deliveries',
      requests: 20,
      async prepare(world, requests) {
        const ids: string[] = [];
        for (let count = 0; count < requests; count += 1) ids.push(await registerWebhook(world));
        return ids.map((id) => ({
          method: 'DELETE',
          path: `${path}/${id}`,
          headers: adminHeaders,
          expect: [200],
        }));
      },
    },
  ],
};
