import { describe, expect, it } from '@jest/globals';
import { createClient } from '../../../contract/client/create-client.js';
import { type OfframpOptions, resumeOfframp, startOfframp } from '../../../contract/offramp/index.js';
import { offrampFixture, quote } from '../../fixtures/offramp/offramp-fixture.js';
import { expectFor } from '../../support/expect-for.js';

const fixture = await offrampFixture({ anchors: ['harbour'] });

class TabClosed extends Error {}

type When = 'before' | 'after';

/**
 * A tab that closes at its n-th call to anything outside, before or after the call takes effect, and does nothing from then
 * on.
 */
function tab(closesAt: number, when: When) {
  let dealings = 0;
  let closed = false;
  async function deal<T>(call: () => Promise<T>): Promise<T> {
    if (closed) throw new TabClosed();
    dealings += 1;
    if (dealings !== closesAt) return call();
    if (when === 'after') await call();
    closed = true;
    throw new TabClosed();
  }
  return { deal, dealings: () => dealings };
}

/** Runs one off-ramp in a tab that closes at this call, and resumes it in a second tab. */
async function interrupted(closesAt: number, when: When) {
  const buyer = fixture.wallet();
  const { intents } = fixture;
  const { deal, dealings } = tab(closesAt, when);
  const { onState = () => undefined, open, wait } = buyer.options;
  const send: typeof fetch = (input, init) => deal(() => fetch(input, init));
  const headers = { 'x-forwarded-for': `203.2.${when === 'after' ? 1 : 0}.${closesAt & 255}` };
  const first: OfframpOptions = {
    ...buyer.options,
    service: createClient(intents.app.url, { headers, retry: false, fetch: send }),
    fetch: send,
    onState: (state) => deal(async () => onState(state)),
    open: (url) => deal(async () => open(url)),
    wait: (ms, signal) => deal(async () => wait?.(ms, signal)),
  };
  const wallet = {
    getAddress: () => deal(buyer.wallet.getAddress),
    signTransaction: (...args: Parameters<typeof buyer.wallet.signTransaction>) =>
      deal(() => buyer.wallet.signTransaction(...args)),
  };
  const ended = await startOfframp(quote, wallet, first).catch((error: unknown) => error);
  const reached = buyer.states.at(-1)?.step ?? 'nothing';
  if (ended instanceof Error) {
    const second = { ...buyer.options, service: createClient(intents.app.url, { headers, retry: false }) };
    if (buyer.states.length === 0) await startOfframp(quote, buyer.wallet, second);
    else await resumeOfframp(buyer.stored(), buyer.wallet, second);
  }
  return { buyer, reached, dealings: dealings(), wasClosed: ended instanceof Error };
}

describe('a tab that is closed', () => {
  it.each(['before', 'after'] as const)(
    'just %s anything it does outside, whatever it is, is gone on with: paid exactly once, and settled',
    async (when) => {
      const reachedSteps = new Set<string>();
      for (let at = 1; ; at += 1) {
        const { buyer, reached, wasClosed } = await interrupted(at, when);
        const paid = await fixture.paymentsOf(buyer.account);
        expectFor(`closed ${when} dealing ${at}, at ${reached}`, paid.length).toBe(1);
        const last = buyer.states.at(-1);
        expectFor(`closed ${when} dealing ${at}`, last?.step).toBe('ended');
        const intent = await fixture.intents.read(last?.intentHash ?? '');
        expectFor(`closed ${when} dealing ${at}`, intent.status).toBe('settled');
        expectFor(`closed ${when} dealing ${at}`, intent.outcome?.scored).toBe(true);
        reachedSteps.add(reached);
        if (!wasClosed) break;
      }
      // Every step was at least once the last one stored.
      const unpaid = ['attached', 'authenticated', 'instructed', 'nothing', 'registered', 'started'];
      const all = [...unpaid, 'paid', 'paying', 'reported', 'ended'];
      expect([...reachedSteps].sort()).toEqual(all.sort());
    },
    600_000,
  );
});
