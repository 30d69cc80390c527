import { parse } from 'smol-toml';
import { isAccount } from './addresses.js';
import { Stop } from './errors.js';
import { exchange } from './exchange.js';
import type { OfframpQuote, Run } from './options.js';
import { patiently } from './patience.js';
import { callService } from './service.js';
import type { OfframpAnchor } from './state.js';

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The address of the stellar.toml of a home domain. For an anchor on this machine it is an origin, which may be http. */
function tomlUrl(homeDomain: string): URL {
  const origin = homeDomain.includes('://') ? homeDomain : `https://${homeDomain}`;
  const url = new URL(`${origin}/.well-known/stellar.toml`);
  if (url.protocol !== 'https:' && !loopback.has(url.hostname)) throw new Stop('not_offered');
  return url;
}

/**
 * Reads the anchor's own addresses from its stellar.toml (SEP-1). The service gives the home domain, the key and the
 * assets; the SIGNING_KEY of the stellar.toml must be the one that the service knows.
 */
export async function discover(run: Run, quote: OfframpQuote): Promise<OfframpAnchor> {
  const { anchorId } = quote;
  const corridor = quote.corridor.toLowerCase();
  const { homeDomain, signingKey, start } = await callService(run, ({ anchors }, fetchOptions) =>
    anchors.getAnchor({ params: { anchor: anchorId }, fetchOptions }),
  );
  const point = start.find((each) => each.protocol === 'sep24' && each.corridor === corridor);
  if (homeDomain === null || point === undefined) throw new Stop('not_offered');

  const url = tomlUrl(homeDomain);
  const toml = await readToml(run, url);
  const address = (field: string) => {
    const value = toml[field];
    if (value === undefined) throw new Stop('not_offered', { detail: field });
    if (!isSafeUrl(value, url.protocol)) throw new Stop('toml_invalid', { detail: field });
    return value;
  };
  const found = toml.SIGNING_KEY;
  if (typeof found !== 'string' || !isAccount(found))
    throw new Stop('toml_invalid', { detail: 'SIGNING_KEY' });
  if (found !== signingKey) throw new Stop('signing_key_mismatch');
  const { NETWORK_PASSPHRASE: network = run.networkPassphrase } = toml;
  if (network !== run.networkPassphrase) throw new Stop('wrong_network', { detail: String(network) });
  return {
    homeDomain: url.host,
    signingKey: found,
    webAuthEndpoint: address('WEB_AUTH_ENDPOINT'),
    transferServer: address('TRANSFER_SERVER_SEP0024').replace(/\/+$/, ''),
    assetCode: point.assetCode,
    assetIssuer: point.assetIssuer,
    destinationAsset: point.destinationAsset,
  };
}

async function readToml(run: Run, url: URL): Promise<Record<string, unknown>> {
  const { status, text } = await patiently(run, 'anchor_unavailable', () => exchange(run, url.href));
  if (status !== 200) throw new Stop('not_offered', { detail: `stellar.toml: ${status}` });
  try {
    return parse(text, { maxDepth: 32 });
  } catch (cause) {
    throw new Stop('toml_invalid', { detail: 'not TOML', cause });
  }
}

/** True for https, and on this machine for http if the stellar.toml was read over http too. */
export function isSafeUrl(value: unknown, protocol: string): value is string {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const url = new URL(value);
  const isPrivate = url.protocol === 'https:' || (url.protocol === protocol && loopback.has(url.hostname));
  return isPrivate && url.username === '' && url.password === '';
}
