import { pick, randomBytes } from '../../lib/random.js';
import { walletOf } from '../../simulated-wallets/wallet.js';
import { retryUntilAnswered } from './clients.js';
import { repeatedly, type TrafficContext } from './context.js';
import { anchorIds, corridor } from './surroundings.js';

const attachedShare = 0.3;
const shortestMs = 40_000;
/** The wallets return within their minute, so that an instance may accept a request before another member has the data. */
const returningWallets = 12;

/** Intents that are registered and never paid. Some are attached to a withdrawal; the others end with their deadline. */
export async function registerUnpaid(context: TrafficContext): Promise<void> {
  const { clients, settings, random, clock, ending, over } = context;
  const wallets = Array.from({ length: returningWallets }, () => clients.nextStaying());
  let turn = 0;

  async function one(): Promise<void> {
    turn += 1;
    const service = wallets[turn % returningWallets] ?? clients.nextStaying();
    const { account } = walletOf(randomBytes(random, 32));
    const deadlineMs = clock() + shortestMs * (1 + random());
    const nonce = Buffer.from(randomBytes(random, 24)).toString('base64url');
    const terms = {
      corridor,
      anchorId: pick(random, anchorIds) ?? anchorIds[0],
      account,
      sellAmount: String(10 + Math.floor(random() * 90)),
      expiresAt: new Date(deadlineMs).toISOString(),
      nonce,
    };
    const registered = await retryUntilAnswered(() => service.intents.createIntent({ body: terms }), over);
    if (registered.status !== 200 && registered.status !== 201) {
      // An intent that was never accepted and is past its deadline is refused.
      if (clock() < deadlineMs) refuse('An intent', registered);
      return;
    }
    if (random() >= attachedShare) return;
    const params = { intentHash: registered.body.intentHash };
    const body = { nonce, anchorTransactionId: `unpaid-${params.intentHash.slice(0, 24)}` };
    const attached = await retryUntilAnswered(
      () => service.intents.attachTransaction({ params, body }),
      over,
    );
    if (attached.status !== 200 && clock() < deadlineMs) refuse('A transaction', attached);
  }

  function refuse(what: string, { status, body }: { status: number; body: unknown }): void {
    context.refused(`${what} was refused with ${status} ${(body as { code?: string }).code}.`);
  }

  const underWay = new Set<Promise<void>>();
  await repeatedly(context, 1_000 / settings.unpaidIntentsPerSecond, ending, async () => {
    const registering = one().finally(() => underWay.delete(registering));
    underWay.add(registering);
    registering.catch(() => undefined);
  });
  await Promise.all(underWay);
}
