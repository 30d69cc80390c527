import {
  type BatchToVerify,
  createClient,
  type DisputeToSign,
  type IntentTerms,
  intentHash,
  isFairleadError,
  type RateLimit,
  type StreamState,
  signDispute,
  verifyBatch,
  verifyWebhook,
  type WebhookDelivery,
} from '../../../contract/index.js';

/** What a page does with the package: everything it offers, with inputs and results that survive JSON. */
export interface FrontEndTask {
  url: string;
  corridor: string;
  intents: IntentTerms[];
  disputes: (DisputeToSign & { secretKey: string })[];
  deliveries: (WebhookDelivery & { body: string })[];
  batches: BatchToVerify[];
  newIntent: IntentTerms;
}

export async function useEverything(task: FrontEndTask) {
  const rateLimits: RateLimit[] = [];
  const client = createClient(task.url, { onRateLimit: (rateLimit) => rateLimits.push(rateLimit) });
  const params = { corridor: task.corridor };
  const rates = await client.rates.getRates({ params, query: { amount: '250' } });
  const unknown = await client.rates.getRates({ params: { corridor: 'usdc-zzz' } });
  const created = await client.intents.createIntent({ body: task.newIntent });
  const streamed: string[] = [];
  const onState = ({ state }: StreamState) => state === 'live' && streamed.push(state);
  for await (const { event, data } of client.rates.stream({ params }, { onState })) {
    streamed.push(event === 'rates' ? `${event} ${data.corridor}` : data.code);
    break;
  }
  const intent = { params: { intentHash: intentHash(task.newIntent) } };
  for await (const { event, data } of client.intents.stream(intent, { onState })) {
    streamed.push(`${event} ${data.status}`);
    break;
  }
  const unlisted = await createClient(`${task.url}/elsewhere`)
    .snapshot.getSnapshot()
    .catch((error: unknown) => error);
  return {
    rates: rates.status === 200 ? { quotes: rates.body.quotes.length, best: rates.body.best } : rates.body,
    etag: rates.headers.get('etag'),
    unknown: unknown.status === 404 ? unknown.body.code : null,
    created: created.status === 201 ? created.body.intentHash : created.body,
    streamed,
    ownHash: intentHash(task.newIntent),
    unlisted: isFairleadError(unlisted) ? unlisted.code : String(unlisted),
    rateLimits,
    hashes: task.intents.map(intentHash),
    signed: task.disputes.map(signDispute),
    events: task.deliveries.map((delivery) => verifyWebhook(delivery).event),
    verdicts: task.batches.map(verifyBatch),
  };
}
