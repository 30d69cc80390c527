import {
  type BatchToVerify,
  createClient,
  type IntentTerms,
  intentHash,
  isFairleadError,
  signDispute,
  verifyBatch,
  verifyWebhook,
  type WebhookDelivery,
} from '../../../contract/index.js';

/** What a page does with the package: everything it offers, with inputs and results that survive JSON. */
export interface FrontEndTask {
  url: string;
  intents: IntentTerms[];
  disputes: Parameters<typeof signDispute>[0][];
  deliveries: (WebhookDelivery & { body: string })[];
  batches: BatchToVerify[];
  newIntent: IntentTerms;
}

export async function useEverything(task: FrontEndTask) {
  const limits: number[] = [];
  const client = createClient(task.url, { onRateLimit: ({ limit }) => limits.push(limit) });
  const params = { corridor: 'usdc-ngn' };
  const rates = await client.rates.getRates({ params, query: { amount: '250' } });
  const unknown = await client.rates.getRates({ params: { corridor: 'usdc-zzz' } });
  const created = await client.intents.createIntent({ body: task.newIntent });
  const streamed: string[] = [];
  for await (const { event, data } of client.rates.stream({ params })) {
    streamed.push(event === 'rates' ? `${event} ${data.corridor}` : data.code);
    break;
  }
  const intent = { params: { intentHash: intentHash(task.newIntent) } };
  for await (const { event, data } of client.intents.stream(intent)) {
    streamed.push(`${event} ${data.status}`);
    break;
  }
  const unlisted = await createClient(`${task.url}/elsewhere`)
    .snapshot.getSnapshot()
    .catch((error: unknown) => error);
  return {
    best: rates.status === 200 ? rates.body.best?.anchorId : rates.body,
    unknown: unknown.status === 404 ? unknown.body.code : null,
    isRegistered: created.status === 201 && created.body.intentHash === intentHash(task.newIntent),
    streamed,
    unlisted: isFairleadError(unlisted) ? unlisted.code : String(unlisted),
    limits,
    hashes: task.intents.map(intentHash),
    signed: task.disputes.map(signDispute),
    events: task.deliveries.map((delivery) => verifyWebhook(delivery).event),
    verdicts: task.batches.map(verifyBatch),
  };
}
