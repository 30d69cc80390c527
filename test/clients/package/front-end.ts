import {
  type BatchToVerify,
  createClient,
  type IntentTerms,
  intentHash,
  signDispute,
  verifyBatch,
  verifyWebhook,
  type WebhookDelivery,
} from '../../../contract/index.js';

/** What a page does with the package, with inputs and results that survive JSON. */
export interface FrontEndTask {
  url: string;
  terms: IntentTerms;
  known: IntentTerms;
  dispute: Parameters<typeof signDispute>[0];
  delivery: WebhookDelivery & { body: string };
  batch: BatchToVerify;
}

export async function useEverything({ url, terms, known, dispute, delivery, batch }: FrontEndTask) {
  const limits: number[] = [];
  const client = createClient(url, { onRateLimit: ({ limit }) => limits.push(limit) });
  const params = { corridor: 'usdc-ngn' };
  const rates = await client.rates.getRates({ params, query: { amount: '250' } });
  const unknown = await client.rates.getRates({ params: { corridor: 'usdc-zzz' } });
  const created = await client.intents.createIntent({ body: terms });
  const streamed: string[] = [];
  for await (const { event, data } of client.rates.stream({ params })) {
    streamed.push(event === 'rates' ? `${event} ${data.corridor}` : data.code);
    break;
  }
  for await (const { event, data } of client.intents.stream({ params: { intentHash: intentHash(terms) } })) {
    streamed.push(`${event} ${data.status}`);
    break;
  }
  return {
    best: rates.status === 200 ? rates.body.best?.anchorId : rates.body,
    unknown: unknown.status === 404 ? unknown.body.code : null,
    isRegistered: created.status === 201 && created.body.intentHash === intentHash(terms),
    streamed,
    limits,
    hash: intentHash(known),
    signature: signDispute(dispute).signature,
    event: verifyWebhook(delivery).event,
    verdicts: [verifyBatch(batch), verifyBatch({ ...batch, signature: '' })],
  };
}
