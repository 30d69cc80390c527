import { z } from 'zod';
import { anchorId, corridorId, instant, page } from './primitives.js';

/** Whether an anchor is in the fleet and asked for rates. */
export const anchorStatus = z
  .enum(['active', 'delisted', 'refused'])
  .describe(
    '`active`: in the fleet and asked for rates. `delisted`: was in the fleet, its record stays readable. ' +
      '`refused`: its signing key is no longer the one it was onboarded with, so it is not asked.',
  );

/** Where the addresses and key of an anchor come from: its stellar.toml (SEP-1), fresh or stale, or the fleet file. */
export const discoveryState = z
  .enum(['pending', 'fresh', 'stale', 'failed', 'configured'])
  .describe(
    '`fresh`: its stellar.toml was read lately. `stale`: an older reading is in use while a new one fails or ' +
      'runs. `failed`: it could not be read. `pending`: not read yet. `configured`: the fleet file gives the ' +
      'addresses, no stellar.toml is read.',
  );
export type DiscoveryState = z.infer<typeof discoveryState>;

/** The documents of an anchor that are read. */
export const anchorDocument = z
  .enum(['stellar.toml', 'info', 'price', 'transaction'])
  .describe(
    '`stellar.toml` of SEP-1, `info` of SEP-24 or SEP-6, `price` of SEP-38, `transaction`: a record of SEP-24 or SEP-6.',
  );

export type AnchorDocumentKind = z.infer<typeof anchorDocument>;

const servedCorridor = z.object({
  corridor: corridorId,
  deliveryMethods: z.array(z.string()).describe('The delivery methods offered there.'),
});

const anchorFields = {
  id: anchorId,
  name: z.string().describe('The name people know the anchor by.'),
  note: z.string().nullable().describe('A remark of the operator, or null.'),
  status: anchorStatus,
  simulated: z.boolean().describe('True for a simulated anchor of a development fleet.'),
  homeDomain: z.string().nullable().describe('The domain that publishes its stellar.toml, or null.'),
  corridors: z.array(servedCorridor).describe('The corridors it serves, by id; empty once delisted.'),
  onboardedAt: instant.describe('When it was first seen in the fleet.'),
  delistedAt: instant.nullable().describe('When it left the fleet, or null.'),
};

/** An anchor in a list. */
export const anchorSummary = z.object(anchorFields).describe('An anchor of the fleet.');
export type AnchorSummary = z.infer<typeof anchorSummary>;

/** One way a wallet starts a withdrawal at the anchor. */
export const startingPoint = z
  .object({
    corridor: corridorId,
    protocol: z.enum(['sep24', 'sep6']).describe('The Stellar ecosystem proposal the endpoint speaks.'),
    method: z.enum(['GET', 'POST']).describe('The HTTP method of the endpoint.'),
    url: z.string().describe('Where the wallet starts the withdrawal.'),
    assetCode: z.string().describe('The value of `asset_code` (or the code in `source_asset`).'),
    assetIssuer: z.string().nullable().describe('The issuer of the stablecoin; null for the native asset.'),
    destinationAsset: z.string().describe('The currency to ask for: `iso4217:NGN`.'),
    webAuthEndpoint: z
      .string()
      .nullable()
      .describe('The SEP-10 endpoint that gives the wallet its token, or null if none is published.'),
  })
  .describe('How a wallet starts a withdrawal here.');

/** All data of one anchor, with its addresses and how a wallet starts a withdrawal there. */
export const anchorAnswer = z
  .object({
    ...anchorFields,
    signingKey: z
      .string()
      .nullable()
      .describe('The SIGNING_KEY it signs status callbacks with (G…), or null if none is known.'),
    endpoints: z
      .object({
        quoteServer: z.string().nullable().describe('SEP-38 quote server, or null.'),
        transferServerSep24: z.string().nullable().describe('SEP-24 transfer server, or null.'),
        transferServerSep6: z.string().nullable().describe('SEP-6 transfer server, or null.'),
        webAuthEndpoint: z.string().nullable().describe('SEP-10 endpoint, or null.'),
      })
      .describe('The addresses in use.'),
    discovery: z
      .object({
        state: discoveryState,
        fetchedAt: instant.nullable().describe('When its stellar.toml was last read, or null.'),
        reason: z.string().nullable().describe('Why the last reading failed, or null.'),
      })
      .describe('Where these addresses come from.'),
    unreadable: z
      .array(
        z.object({
          document: anchorDocument,
          what: z.string().describe('The member, or the line, and what is wrong there.'),
          at: instant.describe('When it was read.'),
        }),
      )
      .describe(
        'What it wrote that could not be read, whole or in part: the latest of each document, as this instance has read it.',
      ),
    contradictedPayments: z
      .number()
      .int()
      .min(0)
      .nullable()
      .describe(
        "Intents registered in the last 90 days for which the anchor's record names a payment that the ledger " +
          'contradicts: it does not exist, failed, or paid no account that the anchor named. 10,000 at most; null ' +
          'where no ledger is asked.',
      ),
    start: z.array(startingPoint).describe('How a wallet starts there, one entry per corridor and protocol.'),
  })
  .describe('An anchor, its addresses and how a wallet starts there.');
export type AnchorAnswer = z.infer<typeof anchorAnswer>;

export const anchorPage = page(anchorSummary).describe('A page of anchors, ordered by id.');
export type AnchorPage = z.infer<typeof anchorPage>;
