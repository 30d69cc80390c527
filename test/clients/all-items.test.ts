import { describe, expect, it } from '@jest/globals';
import * as light from '../../contract/client/index.js';
import { examples } from '../../contract/examples/index.js';
import * as whole from '../../contract/index.js';
import { scriptedService } from '../fixtures/clients/scripted-service.js';

const service = scriptedService();

const [card] = examples.publisher.listBatchEntries.answer.items;
const anchors = (...names: string[]) => names.map((anchorId) => ({ ...card, anchorId }));
const page = (items: unknown[], nextCursor: string | null) => ({
  status: 200,
  body: { ...examples.publisher.listBatchEntries.answer, items, nextCursor },
});
const three = () => [
  page(anchors('a', 'b'), 'second'),
  page(anchors('c'), 'third'),
  page(anchors('d'), null),
];
const params = { sequence: '42' };
const urls = () => service.requests.map(({ url }) => url.split('?')[1] ?? '');

async function take(items: AsyncIterable<{ anchorId: string }>, most = 100): Promise<string[]> {
  const taken: string[] = [];
  for await (const { anchorId } of items) {
    taken.push(anchorId);
    if (taken.length === most) break;
  }
  return taken;
}

describe.each([
  ['@fairlead/contract', whole],
  ['@fairlead/contract/client', light],
] as const)('all() of a list of %s', (_entry, { createClient, FairleadError, UnexpectedAnswerError }) => {
  const list = (): light.ListBatchEntries =>
    createClient(service.url, { retry: false }).publisher.listBatchEntries;

  it('gives the items of every page, each asked for with the cursor and the other parameters', async () => {
    service.answers = three();
    expect(await take(list().all({ params, query: { limit: '2' } }))).toEqual(['a', 'b', 'c', 'd']);
    expect(urls()).toEqual(['limit=2', 'limit=2&cursor=second', 'limit=2&cursor=third']);
  });

  it('asks for a page only when its items are wanted', async () => {
    service.answers = three();
    const items = list().all({ params });
    expect(service.requests).toHaveLength(0);
    expect(await take(items, 2)).toEqual(['a', 'b']);
    expect(service.requests).toHaveLength(1);
  });

  it('throws the error of a page, after the items before it', async () => {
    const refusal = { code: 'UNKNOWN_BATCH', message: 'No such batch.' };
    service.answers = [page(anchors('a'), 'second'), { status: 404, body: refusal }];
    const items = list().all({ params });
    expect((await items.next()).value).toMatchObject({ anchorId: 'a' });
    const failure = await items.next().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(FairleadError);
    expect(failure).toMatchObject({ code: 'UNKNOWN_BATCH', status: 404 });
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it.each([
    ['of the page before', ['same', 'same']],
    ['of an earlier page', ['one', 'two', 'one']],
  ])('ends with an error on the cursor %s rather than read in circles', async (_case, cursors) => {
    service.answers = cursors.map((cursor) => page(anchors('a'), cursor));
    const failure = await take(list().all({ params })).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UnexpectedAnswerError);
    expect(failure).toMatchObject({ operationId: 'listBatchEntries', path: 'body.nextCursor' });
    expect(service.requests).toHaveLength(cursors.length);
  });

  it('ends once its signal aborts, between items as between pages', async () => {
    service.answers = three();
    const controller = new AbortController();
    const items = list().all({ params, signal: controller.signal });
    await items.next();
    controller.abort(new Error('left the page'));
    await expect(items.next()).rejects.toThrow('left the page');
    expect(service.requests).toHaveLength(1);
  });
});
