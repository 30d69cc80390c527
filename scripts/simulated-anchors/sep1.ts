import { simulatedNetwork } from '../simulated-ledger/payments.js';
import type { AnchorContext } from './context.js';
import { usdcIssuer } from './corridors.js';
import type { Protocol } from './profiles.js';
import type { AddRoute } from './server.js';

/** The standards that an anchor offers. */
export const offered: Readonly<Record<Protocol, { sep38: boolean; sep24: boolean; sep6: boolean }>> = {
  sep38: { sep38: true, sep24: true, sep6: true },
  'sep38-old': { sep38: true, sep24: true, sep6: false },
  'fee-sep24': { sep38: false, sep24: true, sep6: false },
  'fee-sep6': { sep38: false, sep24: false, sep6: true },
};

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
    'ORG_DESCRIPTION = "Simulated"',
    '',
    '[[CURRENCIES]]',
    'code = "USDC"',
    `issuer = "${usdcIssuer}"`,
    'status = "test"',
    'display_decimals = 2',
    'is_asset_anchored = true',
    'anchor_asset_type = "fiat"',
    'anchor_asset = "USD"',
    '',
  ].join('\n');
}
