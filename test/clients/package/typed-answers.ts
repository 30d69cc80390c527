import { type Client, createClient, isFairleadError, unwrap } from '../../../contract/index.js';

/** Never run: the test is what the compiler accepts and refuses here. A directive that is not needed is an error. */
export async function typedAnswers(client: Client = createClient('')): Promise<unknown[]> {
  const rates = await client.rates.getRates({ params: { corridor: 'usdc-ngn' }, query: { amount: '100' } });
  const values: unknown[] = [unwrap(rates).quotes.length satisfies number];
  if (rates.status === 200) {
    values.push(rates.body.quotes[0]?.receiveAmount satisfies string | undefined);
    // @ts-expect-error Amounts are decimal strings, never numbers.
    values.push(rates.body.quotes[0]?.receiveAmount satisfies number | undefined);
  } else if (rates.status === 404) {
    values.push(rates.body.code satisfies 'UNKNOWN_CORRIDOR');
    // @ts-expect-error The contract lists no 401 for a public operation.
  } else if (rates.status === 401) {
    values.push(rates);
  }
  // Errors can be distinguished by code, too, with exactly the members that each code promises.
  if (rates.status !== 200 && rates.body.code === 'RATES_UNAVAILABLE') {
    values.push(rates.body.unavailable[0]?.reason satisfies string | undefined);
    // @ts-expect-error This code promises no details.
    values.push(rates.body.details);
  }
  const thrown: unknown = new Error();
  if (isFairleadError(thrown, 'RUN_IN_PROGRESS')) {
    values.push(thrown.body.startedAt satisfies string);
    // @ts-expect-error This code promises no time to wait.
    values.push(thrown.body.retryAfter);
  }
  for await (const batch of client.publisher.listBatches.all({ query: { order: 'asc' } }))
    values.push(batch.header.sequence satisfies number);
  // @ts-expect-error An operation whose answer is not a list has no items.
  values.push(client.rates.getRates.all);

  // A body may be left out where the contract says so, whatever else the operation takes.
  const params = { id: 'whk_019ab5d6c1a04f1b2c3d4e5f60718293a4b5c6d7e8f9' };
  await client.webhooks.testWebhook({ params });
  await client.adminCache.invalidateCache();
  // @ts-expect-error A new secret is needed to rotate to.
  await client.webhooks.rotateWebhookSecret({ params });
  // @ts-expect-error The corridor is part of the path.
  await client.rates.getRates();
  // @ts-expect-error An unknown query parameter would be refused.
  await client.rates.getRates({ params: { corridor: 'usdc-ngn' }, query: { amonut: '100' } });
  // @ts-expect-error An intent has a body.
  await client.intents.createIntent();
  return values;
}
