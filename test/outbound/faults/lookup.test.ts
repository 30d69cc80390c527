import { afterEach, describe, expect, it } from '@jest/globals';
import { createPublicLookup, systemLookup } from '../../../server/outbound/connect.js';
import { outboundCalls, outcomeOf } from '../../fixtures/outbound/calls.js';
import { expectFor } from '../../support/expect-for.js';
import { type Records, serveNames } from './name-server.js';

const { connector } = outboundCalls();
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function withNames(records: Records) {
  const server = await serveNames(records);
  closers.push(server.close);
  return { lookup: createPublicLookup([server.address]), asked: server.asked };
}

const never = new AbortController().signal;
const publicV6 = '2606:4700:4700:0:0:0:0:1111';

describe('the lookup of names that come from others', () => {
  it('finds the addresses of both families, IPv4 first, or of one alone', async () => {
    const { lookup } = await withNames({
      'both.example': { A: ['8.8.8.8', '8.8.4.4'], AAAA: [publicV6] },
      'four.example': { A: ['8.8.8.8'] },
      'six.example': { AAAA: [publicV6] },
    });
    const both = [...(await lookup('both.example', never))];
    expect(both.pop()).toBe('2606:4700:4700::1111');
    expect(both.sort()).toEqual(['8.8.4.4', '8.8.8.8']);
    expect(await lookup('four.example', never)).toEqual(['8.8.8.8']);
    expect(await lookup('six.example', never)).toEqual(['2606:4700:4700::1111']);
  });

  it('does not wait long for a nameserver that is silent about IPv6', async () => {
    const { lookup } = await withNames({ 'anchor.example': { A: ['8.8.8.8'], AAAA: 'silent' } });
    const startedAt = performance.now();
    expect(await lookup('anchor.example', never)).toEqual(['8.8.8.8']);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('rejects for a name that does not exist, and asks for it as it is, without search domains', async () => {
    const { lookup, asked } = await withNames({});
    await expect(lookup('metadata', never)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(new Set(asked)).toEqual(new Set(['metadata A', 'metadata AAAA']));
  });

  it('ends as soon as nobody waits for it any longer', async () => {
    const { lookup } = await withNames({ 'anchor.example': { A: 'silent', AAAA: 'silent' } });
    const controller = new AbortController();
    const startedAt = performance.now();
    const pending = lookup('anchor.example', controller.signal);
    controller.abort();
    await expect(pending).rejects.toMatchObject({ code: 'ECANCELLED' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('has its answers vetted like any other', async () => {
    const { lookup } = await withNames({
      'private.example': { A: ['10.0.0.1'] },
      'mixed.example': { A: ['8.8.8.8'], AAAA: ['0:0:0:0:0:0:0:1'] },
      'mapped.example': { AAAA: ['0:0:0:0:0:ffff:7f00:1'] },
    });
    for (const name of ['private', 'mixed', 'mapped']) {
      const call = connector({ lookup })({ url: `https://${name}.example/`, timeoutMs: 2_000, maxBytes: 10 });
      expectFor(name, await outcomeOf(call)).toBe('blocked');
    }
  });
});

describe('the lookup of names that the operator listed', () => {
  it('knows what the system knows', async () => {
    expect(await systemLookup('localhost', never)).toContain('127.0.0.1');
  });
});
