import { challengeFault } from './challenge.js';
import { Stop } from './errors.js';
import { exchange, membersOf, patiently, refusal } from './exchange.js';
import type { Run } from './options.js';
import type { OfframpAnchor } from './state.js';
import { signByWallet } from './wallet.js';

/** SEP-10: proves the account to the anchor. Resolves to the token. */
export async function authenticate(run: Run, anchor: OfframpAnchor, account: string): Promise<string> {
  const { networkPassphrase } = run;
  const endpoint = new URL(anchor.webAuthEndpoint);
  const asking = new URL(endpoint);
  asking.searchParams.set('account', account);
  asking.searchParams.set('home_domain', anchor.homeDomain);
  const asked = await patiently(run, 'anchor_unavailable', () => exchange(run, asking.href));
  const { transaction, network_passphrase: network = networkPassphrase } = membersOf(asked.text) ?? {};
  if (asked.status !== 200) throw refusal(asked);
  if (network !== networkPassphrase) throw new Stop('wrong_network', { detail: String(network) });
  if (typeof transaction !== 'string') throw new Stop('challenge_invalid', { detail: 'malformed' });

  const fault = challengeFault(transaction, {
    account,
    signingKey: anchor.signingKey,
    homeDomain: anchor.homeDomain,
    webAuthDomain: endpoint.host,
    networkPassphrase,
    nowMs: run.clock(),
  });
  if (fault !== null) throw new Stop('challenge_invalid', { detail: fault });
  const signed = await signByWallet(run, transaction, account);

  const answer = await patiently(run, 'anchor_unavailable', () =>
    exchange(run, endpoint.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ transaction: signed }),
    }),
  );
  const { token } = membersOf(answer.text) ?? {};
  if (answer.status !== 200 || typeof token !== 'string') throw refusal(answer);
  return token;
}
