import { isRefused } from '../anchor-documents/json.js';
import { readStellarToml, type StellarToml, tomlUrl } from '../anchor-documents/stellar-toml.js';
import { parseUrl } from '../anchor-documents/values.js';
import { Stop } from './errors.js';
import { exchange, patiently } from './exchange.js';
import type { OfframpQuote, Run } from './options.js';
import { callService } from './service.js';
import type { OfframpAnchor } from './state.js';

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

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

  const url = new URL(tomlUrl(homeDomain));
  // For an anchor on this machine the home domain is an origin, which may be http.
  if (url.protocol !== 'https:' && !loopback.has(url.hostname)) throw new Stop('not_offered');
  const { endpoints, networkPassphrase, unreadable } = await readToml(run, url);
  const address = (member: string, value: string | null) => {
    const isFaulty = value !== null && !isSafeUrl(value, url.protocol);
    if (isFaulty || unreadable.includes(member)) throw new Stop('toml_invalid', { detail: member });
    if (value === null) throw new Stop('not_offered', { detail: member });
    return value;
  };
  const found = endpoints.signingKey;
  if (found === null) throw new Stop('toml_invalid', { detail: 'SIGNING_KEY' });
  if (found !== signingKey) throw new Stop('signing_key_mismatch');
  if (unreadable.includes('NETWORK_PASSPHRASE'))
    throw new Stop('toml_invalid', { detail: 'NETWORK_PASSPHRASE' });
  const network = networkPassphrase ?? run.networkPassphrase;
  if (network !== run.networkPassphrase) throw new Stop('wrong_network', { detail: network });
  return {
    homeDomain: url.host,
    signingKey: found,
    webAuthEndpoint: address('WEB_AUTH_ENDPOINT', endpoints.webAuthEndpoint),
    transferServer: address('TRANSFER_SERVER_SEP0024', endpoints.transferServerSep24),
    assetCode: point.assetCode,
    assetIssuer: point.assetIssuer,
    destinationAsset: point.destinationAsset,
  };
}

async function readToml(run: Run, { href, protocol }: URL): Promise<StellarToml> {
  const { status, text } = await patiently(run, 'anchor_unavailable', () => exchange(run, href));
  if (status >= 300 && status < 400) throw new Stop('not_offered', { detail: 'stellar.toml: a redirect' });
  if (status !== 200) throw new Stop('not_offered', { detail: `stellar.toml: ${status}` });
  const toml = readStellarToml(text, { readOver: protocol === 'http:' ? 'http' : 'https' });
  if (isRefused(toml)) throw new Stop('toml_invalid', { detail: toml.refused });
  return toml;
}

/** True for https, and on this machine for http if the stellar.toml was read over http too. */
export function isSafeUrl(value: unknown, protocol: string): value is string {
  const url = parseUrl(value);
  if (typeof value !== 'string' || url === null) return false;
  const isPrivate = url.protocol === 'https:' || (url.protocol === protocol && loopback.has(url.hostname));
  return isPrivate && url.username === '' && url.password === '';
}
