import { Decimal } from 'decimal.js';
import { z } from 'zod';
import { parseUrl } from '../../../contract/anchor-documents/values.js';
import { deliveryMethod, minorUnitsOf } from '../../../contract/schemas/corridors.js';
import {
  anchorId,
  corridorId,
  reservedAnchorIds,
  stablecoinAmount,
} from '../../../contract/schemas/primitives.js';
import { decodePublicKey, StrkeyError } from '../../../contract/verification/strkey.js';
import { isOutOfRange, plainDecimal } from '../../amounts.rules.js';
import { faultList } from '../../errors.js';

/** The fleet file is not usable; the message lists every fault with its path inside the file. */
export class FleetError extends Error {
  constructor(faults: readonly string[]) {
    super(faultList('The fleet file', faults));
    this.name = 'FleetError';
  }
}

const maxEntries = 500;
const seconds = z.number().int().min(1).max(31_536_000);
const stellarAsset = /^stellar:(?:native|([A-Za-z0-9]{1,12}):(G[A-Z2-7]{55}))$/;
const fiatAsset = /^iso4217:([A-Z]{3})$/;

/** Official and street rates of a currency seldom differ by more than a factor of three. */
const defaultQuoteBandFactor = '4';
const bandFactor = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,4})?$/, 'must be a decimal string')
  .refine((text) => Number(text) >= 1.01 && Number(text) <= 1_000, 'must be from 1.01 to 1000');

const publicKey = z.string().superRefine((text, context) => {
  try {
    decodePublicKey(text);
  } catch (error) {
    if (!(error instanceof StrkeyError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

/** An http or https address without credentials, query or fragment. The connector decides whether it may be called. */
const address = z
  .string()
  .max(512)
  .refine(isPlainAddress, 'must be an http(s) address without credentials, query or fragment')
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

const origin = z
  .string()
  .max(300)
  .refine((text) => isPlainAddress(text) && new URL(text).origin === text, 'must be an origin: https://host');

const homeDomain = z
  .string()
  .max(300)
  .refine(
    (text) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text) || origin.safeParse(text).success,
    'must be a domain, or an origin like http://127.0.0.1:7301',
  );

const corridorSchema = z
  .object({
    id: corridorId,
    sellAsset: z.string().regex(stellarAsset, 'must be stellar:CODE:ISSUER'),
    buyAsset: z.string().regex(fiatAsset, 'must be iso4217:XXX'),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'must be two capital letters')
      .optional(),
    referenceAmount: stablecoinAmount,
    min: stablecoinAmount,
    max: stablecoinAmount,
    speedTargetSeconds: seconds,
    overdueAfterSeconds: seconds,
    quoteBandFactor: bandFactor.optional(),
  })
  .strict();

const anchorSchema = z
  .object({
    id: anchorId.refine((id) => !reservedAnchorIds.includes(id), 'is a path segment of its own'),
    name: z.string().min(1).max(100),
    note: z.string().max(500).optional(),
    simulated: z.boolean().optional(),
    homeDomain: homeDomain.optional(),
    endpoints: z
      .object({
        quoteServer: address.optional(),
        transferServerSep24: address.optional(),
        transferServerSep6: address.optional(),
        signingKey: publicKey.optional(),
      })
      .strict()
      .optional(),
    corridors: z
      .array(
        z
          .object({
            id: corridorId,
            deliveryMethods: z.array(deliveryMethod).max(20),
            /** Those of them by which a payout waits until the customer collects it. */
            collected: z.array(deliveryMethod).max(20).default([]),
          })
          .strict(),
      )
      .max(maxEntries),
    partnerToken: z
      .object({
        env: z.string().regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'must be the name of an environment variable'),
        origin,
      })
      .strict()
      .optional(),
  })
  .strict();

/** The file as it is written; relations between members are checked separately. docs/fleet.md describes it. */
export const fleetSchema = z
  .object({
    note: z.string().optional(),
    simulated: z.boolean().optional(),
    corridors: z.array(corridorSchema).min(1).max(maxEntries),
    anchors: z.array(anchorSchema).max(maxEntries),
  })
  .strict();

type WrittenAnchor = z.infer<typeof anchorSchema>;

/** `simulated` is the anchor's own value or, if absent, that of the whole fleet. */
export type FleetAnchor = WrittenAnchor & { simulated: boolean };

/** A corridor, with the details of its assets. */
export interface Corridor extends Omit<z.infer<typeof corridorSchema>, 'country' | 'quoteBandFactor'> {
  sellCode: string;
  sellIssuer: string | null;
  /** ISO 4217: `NGN`. */
  currency: string;
  payoutDecimals: number;
  country: string | null;
  /** Whether the country is part of the id, so that the anchor must be told which one it is. */
  countryMatters: boolean;
  /** The largest factor above or below the others at which a quote is still ranked (docs/rates.md). */
  quoteBandFactor: string;
}

/** Both are ordered by id. */
export interface Fleet {
  corridors: readonly Corridor[];
  anchors: readonly FleetAnchor[];
}

/** Reads the text of a fleet file. Throws FleetError listing every fault and where it is. */
export function parseFleet(text: string): Fleet {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new FleetError([`it is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`]);
  }
  const parsed = fleetSchema.safeParse(json);
  if (!parsed.success) {
    throw new FleetError(parsed.error.issues.map((issue) => `${pathText(issue.path)}: ${issue.message}`));
  }
  const faults = crossFaults(parsed.data);
  if (faults.length > 0) throw new FleetError(faults);
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  return {
    corridors: parsed.data.corridors.map(toCorridor).sort(byId),
    anchors: parsed.data.anchors
      .map((anchor) => ({ ...anchor, simulated: anchor.simulated ?? parsed.data.simulated ?? false }))
      .sort(byId),
  };
}

function toCorridor(raw: z.infer<typeof corridorSchema>): Corridor {
  const [, code = 'XLM', issuer = null] = stellarAsset.exec(raw.sellAsset) ?? [];
  const currency = raw.buyAsset.slice('iso4217:'.length);
  return {
    ...raw,
    sellCode: code,
    sellIssuer: issuer,
    currency,
    payoutDecimals: minorUnitsOf(currency) ?? 2,
    country: raw.country ?? null,
    countryMatters: raw.id.split('-').length === 3,
    referenceAmount: plainDecimal(raw.referenceAmount),
    min: plainDecimal(raw.min),
    max: plainDecimal(raw.max),
    quoteBandFactor: plainDecimal(raw.quoteBandFactor ?? defaultQuoteBandFactor),
  };
}

/** Checks relations between fields: ids that agree with assets, references that exist, amounts in order. */
function crossFaults({ corridors, anchors }: z.infer<typeof fleetSchema>): string[] {
  return [
    ...corridors.flatMap((corridor, at) =>
      [...twice(corridors, at), ...corridorFaults(corridor)].map((fault) => `corridors[${at}].${fault}`),
    ),
    ...anchors.flatMap((anchor, at) =>
      [...twice(anchors, at), ...anchorFaults(anchor, corridors)].map((fault) => `anchors[${at}].${fault}`),
    ),
  ];
}

function twice(entries: readonly { id: string }[], at: number): string[] {
  const id = entries[at]?.id;
  return entries.findIndex((entry) => entry.id === id) < at ? [`id: ${id} is listed twice`] : [];
}

function corridorFaults(corridor: z.infer<typeof corridorSchema>): string[] {
  const faults: string[] = [];
  const { sellCode, currency, country, sellIssuer } = toCorridor(corridor);
  const plain = `${sellCode}-${currency}`.toLowerCase();
  const allowed = country === null ? [plain] : [plain, `${plain}-${country.toLowerCase()}`];
  if (!allowed.includes(corridor.id)) faults.push(`id: must be ${allowed.join(' or ')} for these assets`);
  if (minorUnitsOf(currency) === undefined)
    faults.push(`buyAsset: ${currency} is not a known ISO 4217 currency`);
  if (sellIssuer !== null && !publicKey.safeParse(sellIssuer).success)
    faults.push('sellAsset: the issuer has a wrong checksum');
  if (new Decimal(corridor.min).gt(corridor.max)) faults.push('min: is more than max');
  if (isOutOfRange(corridor.referenceAmount, corridor))
    faults.push('referenceAmount: is not between min and max');
  return faults;
}

function anchorFaults(anchor: WrittenAnchor, corridors: readonly { id: string }[]): string[] {
  const { quoteServer, transferServerSep24, transferServerSep6 } = anchor.endpoints ?? {};
  const hasAddress = [anchor.homeDomain, quoteServer, transferServerSep24, transferServerSep6].some(Boolean);
  const served = anchor.corridors.flatMap(({ id, deliveryMethods, collected }, at) => {
    const faults = twice(anchor.corridors, at);
    const unknown = collected.find((method) => !deliveryMethods.includes(method));
    if (unknown !== undefined) faults.push(`collected: ${unknown} is not among deliveryMethods`);
    if (!corridors.some((corridor) => corridor.id === id)) faults.push(`id: no corridor ${id} in this file`);
    return faults.map((fault) => `corridors[${at}].${fault}`);
  });
  return hasAddress ? served : ['homeDomain: is required where endpoints names no server', ...served];
}

function isPlainAddress(text: string): boolean {
  const url = parseUrl(text);
  if (url === null) return false;
  const plain = url.username === '' && url.password === '' && !/[?#]/.test(text);
  return plain && (url.protocol === 'https:' || url.protocol === 'http:');
}

/** `anchors[0].corridors[1].id`. */
function pathText(path: readonly (string | number)[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return text.slice(1) || 'the file';
}
