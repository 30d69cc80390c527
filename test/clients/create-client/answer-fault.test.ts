import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createClient as createLight, type EntryProof } from '../../../contract/client/index.js';
import { examples } from '../../../contract/examples/index.js';
import { createClient, UnexpectedAnswerError, verifyEntry } from '../../../contract/index.js';
import { expectFor } from '../../support/expect-for.js';
import proofTexts from '../../vectors/proof-texts.json' with { type: 'json' };
import { type ScriptedService, startScriptedService } from './scripted-service.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await startScriptedService();
});
afterEach(() => service.stop());

const client = () => createClient(service.url, { retry: false });
const rates = examples.rates.getRates.answer;
const [quote] = rates.quotes;

async function readRates(body: unknown, status = 200) {
  service.answers = [{ status, body }];
  return client().rates.getRates({ params: { corridor: 'usdc-ngn' } });
}

describe('an answer that is not as the contract says', () => {
  it.each([
    ['lacks a member', { ...rates, asOf: undefined }, 'body.asOf'],
    [
      'has a number for a decimal string',
      { ...rates, quotes: [{ ...quote, rate: 1 }] },
      'body.quotes.0.rate',
    ],
    ['has null where nothing is nullable', { ...rates, quotes: null }, 'body.quotes'],
    [
      'has a number for a value of an enum',
      { ...rates, quotes: [{ ...quote, tier: 1 }] },
      'body.quotes.0.tier',
    ],
  ])('is an UnexpectedAnswerError with the path where it %s', async (_case, body, path) => {
    const failure = await readRates(body).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(failure).toMatchObject({ operationId: 'getRates', status: 200, path });
    expect((failure as Error).message).toContain(path);
  });

  it('is one where an error lacks what its code promises', async () => {
    const failure = readRates({ code: 'RATE_LIMITED', message: 'Later.' }, 429);
    await expect(failure).rejects.toMatchObject({ status: 429, path: 'body.retryAfter' });
  });
});

describe('an error at a status of several codes', () => {
  it.each([
    ['NOT_READY', 'body.retryAfter'],
    ['RATES_UNAVAILABLE', 'body.unavailable'],
  ])('must have what its own code promises: %s', async (code, path) => {
    const failure = readRates({ code, message: 'Later.' }, 503);
    await expect(failure).rejects.toMatchObject({ status: 503, path });
  });

  it('must have a code of that status', async () => {
    const failure = readRates({ code: 'UNKNOWN_ANCHOR', message: 'Who?' }, 503);
    await expect(failure).rejects.toBeInstanceOf(UnexpectedAnswerError);
  });
});

describe('what a later version may add', () => {
  it.each([
    ['a member of the answer', { ...rates, added: 1 }],
    ['a member inside', { ...rates, quotes: [{ ...quote, added: { more: true } }] }],
    ['a value of an enum', { ...rates, unavailable: [{ anchorId: 'harbour', reason: 'asleep' }] }],
  ])('is no fault and is kept: %s', async (_case, body) => {
    expect(await readRates(body)).toMatchObject({ status: 200, body });
  });

  it('is no fault: the name of a new event among those of a webhook', async () => {
    const webhook = examples.webhooks.getWebhook.answer;
    const body = { ...webhook, events: ['intent.settled', 'anchor.retired'] };
    service.answers = [{ status: 200, body }];
    expect(await client().webhooks.getWebhook({ params: { id: webhook.id } })).toMatchObject({ body });
  });

  it('is no fault: another window than those of today', async () => {
    const body = { ...examples.scores.getPublicScores.answer, window: 90 };
    service.answers = [{ status: 200, body }];
    expect(await client().scores.getPublicScores()).toMatchObject({ body });
  });

  it('is no fault: a member of an error, or another code at its status', async () => {
    const limited = { code: 'RATE_LIMITED', message: 'Later.', retryAfter: 1, added: 1 };
    expect(await readRates(limited, 429)).toMatchObject({ status: 429, body: limited });
    const other = { code: 'CORRIDOR_PAUSED', message: 'Not now.' };
    expect(await readRates(other, 404)).toMatchObject({ status: 404, body: other });
  });
});

describe('a proof, read by the light client', () => {
  async function holds(text: string): Promise<boolean> {
    service.answers = [{ status: 200, body: text }];
    const query = { anchor: 'ngnc', corridor: 'usdc-kes' };
    const call = createLight(service.url).publisher.proveBatchEntry({ params: { sequence: '4' }, query });
    const answer = await call.catch((error: unknown) => error);
    if (answer instanceof UnexpectedAnswerError) return false;
    const { entry, index, size, proof, batch } = (answer as Awaited<typeof call>).body as EntryProof;
    const { header } = batch;
    return verifyEntry({ entry: { ...entry }, index, size, proof, header });
  }

  it('holds only as it was written', async () => {
    expect(await holds(proofTexts.text)).toBe(true);
    // fetch itself drops a byte order mark.
    for (const { name, from, to } of proofTexts.refused.filter(({ to: text }) => !text.startsWith('\ufeff')))
      expectFor(name, await holds(proofTexts.text.replace(from, to))).toBe(false);
  });
});
