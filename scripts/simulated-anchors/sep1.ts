import { simulatedNetwork } from '../simulated-ledger/payments.js';
import type { AnchorContext } from './context.js';
import { usdcIssuer } from './corridors.js';
import { offered } from './profiles.js';
import type { AddRoute } from './server.js';

/** SEP-1: `/.well-known/stellar.toml`. */
export function addSep1(route: AddRoute, context: AnchorContext): void {
  route(
    'GET /.well-known/stellar.toml',
    (_request, response) => response.type('text/plain').send(stellarToml(context)),
    { steady: true },
  );
}

function stellarToml(context: AnchorContext): string {
  const { sep38, sep24, sep6 } = offered[context.profile().protocol];
  const origin = context.origin();
  return [
    '# A simulated anchor: it moves no money and serves loopback only.',
    'VERSION = "2.7.0"',
    `NETWORK_PASSPHRASE = "${simulatedNetwork}"`,
    `SIGNING_KEY = "${context.signingKey.address}"`,
    `ACCOUNTS = ["${context.receivingAccount}"]`,
    `WEB_AUTH_ENDPOINT = "${origin}/auth"`,
    ...(sep38 ? [`ANCHOR_QUOTE_SERVER = "${origin}/sep38"`] : []),
    ...(sep24 ? [`TRANSFER_SERVER_SEP0024 = "${origin}/sep24"`] : []),
    ...(sep6 ? [`TRANSFER_SERVER = "${origin}/sep6"`] : []),
    '',
    '[DOCUMENTATION]',
    `ORG_NAME = "${context.definition.name}"`,
    '',
    '[[CURRENCIES]]',
    'code = "USDC"',
    `issuer = "${usdcIssuer}"`,
    'status = "test"',
    'is_asset_anchored = true',
    'anchor_asset_type = "fiat"',
    'anchor_asset = "USD"',
    '',
  ].join('\n');
}
