import { type Client, createClient, isFairleadError, unwrap } from '../../../contract/index.js';

/** Never run: the test is what the compiler accepts and refuses here. A directive that is not needed is an error. */
export async function typedAnswers(client: Client = createClient('')): Promise<void> {
  const rates = await client.rates.getRates({ params: { corridor: 'usdc-ngn' }, query: { amount: '100' } });
  if (rates.status === 200) {
    const best: string | undefined = rates.body.best?.anchorId;
    const receive: string | undefined = rates.body.quotes[0]?.receiveAmount;
    // @ts-expect-error Amounts are decimal strings, never numbers.
    const wrong: number | undefined = rates.body.quotes[0]?.receiveAmount;
    void [best, receive, wrong];
  } else if (rates.status === 404) {
    const code: 'UNKNOWN_CORRIDOR' = rates.body.code;
    void code;
  } else if (rates.status === 429) {
    const wait: number = rates.body.retryAfter;
    void wait;
  } else if (rates.status === 400 && rates.body.code === 'INVALID_REQUEST') {
    const path: string | undefined = rates.body.details?.[0]?.path;
    void path;
    // @ts-expect-error The contract lists no 401 for a public operation.
  } else if (rates.status === 401) {
    void rates;
  }

  // Errors can be distinguished by code, too, with exactly the members that each code promises.
  if (rates.status !== 200 && rates.body.code === 'RATES_UNAVAILABLE') {
    const reason: string | undefined = rates.body.unavailable[0]?.reason;
    void reason;
    // @ts-expect-error This code promises no details.
    void rates.body.details;
  }
  const quotes: number = unwrap(rates).quotes.length;
  void quotes;
  const thrown: unknown = new Error();
  if (isFairleadError(thrown, 'RUN_IN_PROGRESS')) {
    const since: string = thrown.body.startedAt;
    void since;
    // @ts-expect-error This code promises no time to wait.
    void thrown.body.retryAfter;
  }
  for await (const batch of client.publisher.listBatches.all({ query: { order: 'asc' } })) {
    const sequence: number = batch.header.sequence;
    void sequence;
  }
  // @ts-expect-error An operation whose answer is not a list has no items.
  void client.rates.getRates.all;
  const { signal } = new AbortController();
  await client.rates.getRates({ params: { corridor: 'usdc-ngn' }, signal });

  const tick = await client.publisher.tickPublisher();
  if (tick.status === 409) {
    const since: string = tick.body.startedAt;
    void since;
  }
  const etag: string | null = tick.headers.get('etag');
  void etag;

  // A body may be left out where the contract says so, whatever else the operation takes.
  const id = 'whk_019ab5d6c1a04f1b2c3d4e5f60718293a4b5c6d7e8f9';
  await client.webhooks.testWebhook({ params: { id } });
  await client.webhooks.deleteWebhook({ params: { id } });
  await client.adminCache.invalidateCache();
  // @ts-expect-error A new secret is needed to rotate to.
  await client.webhooks.rotateWebhookSecret({ params: { id } });
  // @ts-expect-error The corridor is part of the path.
  await client.rates.getRates();
  // @ts-expect-error An unknown query parameter would be refused.
  await client.rates.getRates({ params: { corridor: 'usdc-ngn' }, query: { amonut: '100' } });
  // @ts-expect-error An amount is a decimal string.
  await client.rates.getRates({ params: { corridor: 'usdc-ngn' }, query: { amount: 100 } });
  // @ts-expect-error An intent has a body.
  await client.intents.createIntent();
  // @ts-expect-error There is no such operation.
  await client.rates.getRate({ params: { corridor: 'usdc-ngn' } });
}
