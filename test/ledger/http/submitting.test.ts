import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Account, Asset, Keypair, Operation, TransactionBuilder, xdr } from '@stellar/stellar-base';
import { simulatedNetwork } from '../../../scripts/simulated-ledger/payments.js';
import { type OpenLedger, openLedger, someAccount } from '../../fixtures/ledger/ledger-fixture.js';

let open: OpenLedger;
beforeAll(async () => {
  open = await openLedger();
});
afterAll(() => open.close());

const payer = Keypair.fromRawEd25519Seed(createHash('sha256').update('a payer').digest());

function payment(sequence: number, maxTime = 0): string {
  const transaction = new TransactionBuilder(new Account(payer.publicKey(), String(sequence - 1)), {
    fee: '100',
    networkPassphrase: simulatedNetwork,
    timebounds: { minTime: 0, maxTime },
  })
    .addOperation(
      Operation.payment({ destination: someAccount('a payee'), asset: Asset.native(), amount: '1' }),
    )
    .build();
  transaction.sign(payer);
  return transaction.toXDR();
}

async function rpc(method: string, params: object) {
  const answer = await fetch(open.simulated.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await answer.json()) as { result: Record<string, unknown> }).result;
}

const send = (transaction: string) => rpc('sendTransaction', { transaction });

async function sequence(): Promise<string> {
  const key = xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: payer.xdrAccountId() }));
  const { entries } = await rpc('getLedgerEntries', { keys: [key.toXDR('base64')] });
  const [entry] = entries as { xdr: string }[];
  return xdr.LedgerEntryData.fromXDR(entry?.xdr ?? '', 'base64')
    .account()
    .seqNum()
    .toString();
}

const codeOf = ({ errorResultXdr }: Record<string, unknown>) =>
  xdr.TransactionResult.fromXDR(String(errorResultXdr), 'base64').result().switch().name;

describe('the simulated ledger', () => {
  it('takes the next sequence number of an account alone, and a transaction once', async () => {
    expect(await sequence()).toBe('0');
    const first = payment(1);
    expect(await send(first)).toMatchObject({ status: 'PENDING' });
    expect(await send(first)).toMatchObject({ status: 'DUPLICATE' });
    expect(await sequence()).toBe('0');
    open.pass(2_000);
    expect(await sequence()).toBe('1');
    expect(codeOf(await send(payment(1, 4_000_000_000)))).toBe('txBadSeq');
    expect(codeOf(await send(payment(3)))).toBe('txBadSeq');
    expect(await send(payment(2))).toMatchObject({ status: 'PENDING' });
  });

  it('takes nothing whose time bounds are over when the next ledger closes', async () => {
    expect(codeOf(await send(payment(3, open.now() / 1_000)))).toBe('txTooLate');
    expect(await send(payment(3, open.now() / 1_000 + 5))).toMatchObject({ status: 'PENDING' });
  });

  it('tells Horizon of accounts and their transactions, also as a stream', async () => {
    const { horizonUrl } = open.simulated;
    open.pass(2_000);
    const account = `${horizonUrl}/accounts/${payer.publicKey()}`;
    expect(await (await fetch(account)).json()).toMatchObject({ sequence: '3' });
    const page = (await (await fetch(`${account}/transactions?limit=2`)).json()) as {
      _embedded: { records: { paging_token: string }[] };
    };
    expect(page._embedded.records).toHaveLength(2);
    const cursor = page._embedded.records[0]?.paging_token;
    const stopping = new AbortController();
    const stream = await fetch(`${account}/transactions?cursor=${cursor}`, {
      headers: { accept: 'text/event-stream' },
      signal: stopping.signal,
    });
    let text = '';
    for await (const chunk of stream.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.split('data: {').length > 2) break;
    }
    stopping.abort();
    expect(text).toContain('event: open');
    expect(text.match(/^id: /gm)).toHaveLength(2);
  });
});
