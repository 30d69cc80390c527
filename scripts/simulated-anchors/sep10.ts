import { randomBytes } from 'node:crypto';
import {
  Account,
  BASE_FEE,
  Keypair,
  Operation,
  type Transaction,
  TransactionBuilder,
} from '@stellar/stellar-base';
import { simulatedNetwork, usdcIssuer } from '../simulated-ledger/payments.js';
import type { AnchorContext } from './context.js';
import { isAccount } from './identity.js';
import { offered } from './profiles.js';
import { type AddRoute, fieldsOf, Refusal } from './server.js';

const validitySeconds = 900;

/** SEP-10: gives a token to the wallet that signs the challenge. A simulated account's only signer is its own key. */
export function addSep10(route: AddRoute, context: AnchorContext): void {
  const host = () => new URL(context.origin()).host;
  const keys = context.signingKey;
  const steady = { steady: true };
  route('GET /auth', steady, ({ query }, response) => {
    const account = fieldsOf(query).get('account') ?? '';
    if (!isAccount(account)) throw new Refusal(400, 'account must be a G… key');
    const challenge = challengeFor(account, host(), keys, context.clock());
    response.json({ transaction: challenge.toXDR(), network_passphrase: simulatedNetwork });
  });
  route('POST /auth', steady, ({ body }, response) => {
    const challenge = readChallenge(fieldsOf(body).get('transaction') ?? '');
    const account = accountOf(challenge, keys, context.clock());
    response.json({ token: `sim.${account}.${challenge.hash().toString('hex')}` });
  });
}

function challengeFor(account: string, host: string, keys: Keypair, nowMs: number): Transaction {
  const minTime = Math.floor(nowMs / 1000);
  const nonce = { source: account, name: `${host} auth`, value: randomBytes(48).toString('base64') };
  const domain = { source: keys.publicKey(), name: 'web_auth_domain', value: host };
  const challenge = new TransactionBuilder(new Account(keys.publicKey(), '-1'), {
    fee: BASE_FEE,
    networkPassphrase: simulatedNetwork,
    timebounds: { minTime, maxTime: minTime + validitySeconds },
  })
    .addOperation(Operation.manageData(nonce))
    .addOperation(Operation.manageData(domain))
    .build();
  challenge.sign(keys);
  return challenge;
}

function readChallenge(envelope: string): Transaction {
  try {
    const challenge = TransactionBuilder.fromXDR(envelope, simulatedNetwork);
    if (!('innerTransaction' in challenge)) return challenge;
  } catch {
    // The decoder throws errors of many kinds.
  }
  throw new Refusal(400, 'transaction must be the signed challenge');
}

/** The account of a challenge. Throws a Refusal unless this server made it, it is in time, and the account signed it. */
function accountOf(challenge: Transaction, keys: Keypair, nowMs: number): string {
  const account = challenge.operations[0]?.source ?? '';
  const { minTime = '0', maxTime = '0' } = challenge.timeBounds ?? {};
  const inTime = Number(minTime) <= nowMs / 1000 && nowMs / 1000 <= Number(maxTime);
  const signedBy = (key: Keypair) =>
    challenge.signatures.some((each) => key.verify(challenge.hash(), each.signature()));
  const isOwn = challenge.source === keys.publicKey() && challenge.sequence === '0' && signedBy(keys);
  if (!isOwn || !inTime) throw new Refusal(400, 'not a challenge of this server, or no longer valid');
  if (!isAccount(account) || !signedBy(Keypair.fromPublicKey(account)))
    throw new Refusal(400, 'the account has not signed the challenge');
  return account;
}

/** SEP-1: `/.well-known/stellar.toml`. */
export function addSep1(route: AddRoute, context: AnchorContext): void {
  route('GET /.well-known/stellar.toml', { steady: true }, (_request, response) =>
    response.type('text/plain').send(stellarToml(context)),
  );
}

function stellarToml(context: AnchorContext): string {
  const { sep38, sep24, sep6 } = offered[context.profile().protocol];
  const origin = context.origin();
  return [
    '# A simulated anchor: it moves no money and serves loopback only.',
    'VERSION = "2.7.0"',
    `NETWORK_PASSPHRASE = "${simulatedNetwork}"`,
    `SIGNING_KEY = "${context.signingKey.publicKey()}"`,
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
