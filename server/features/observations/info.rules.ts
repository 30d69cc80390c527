import { z } from 'zod';

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/);
const mostNames = 20;

const sep38Info = z.object({ assets: z.array(z.unknown()).max(1_000) });
const sep38Asset = z.object({
  asset: z.string().max(100),
  buy_delivery_methods: z.array(z.object({ name })).max(100).nullish(),
});

const transferInfo = z.object({ withdraw: z.record(z.string(), z.unknown()) });
const sep6Withdrawal = z.object({
  funding_methods: z.array(z.string()).max(100).nullish(),
  types: z.record(z.string(), z.unknown()).nullish(),
});
const enabledFlag = z.object({ enabled: z.boolean().optional() });

/** The delivery methods that SEP-38 /info lists for a currency; undefined if it lists none, or lacks the currency. */
export function listedMethods(json: unknown, buyAsset: string): string[] | undefined {
  const parsed = sep38Info.safeParse(json);
  const entries = parsed.success ? parsed.data.assets.map((each) => sep38Asset.safeParse(each).data) : [];
  const methods = entries.find((entry) => entry?.asset === buyAsset)?.buy_delivery_methods ?? [];
  return methods.length === 0 ? undefined : methods.map((method) => method.name);
}

export const isSep38Info = (json: unknown): boolean => sep38Info.safeParse(json).success;
export const isTransferInfo = (json: unknown): boolean => transferInfo.safeParse(json).success;

/** Whether SEP-24 or SEP-6 /info offers the withdrawal of an asset. */
export function offersWithdrawal(json: unknown, assetCode: string): boolean {
  const entry = withdrawalOf(json, assetCode);
  return entry !== undefined && enabledFlag.safeParse(entry).data?.enabled !== false;
}

/** The methods that SEP-6 /info names for the withdrawal of an asset: `funding_methods`, or `types` in older versions. */
export function sep6Methods(json: unknown, assetCode: string): string[] {
  const { funding_methods, types } = sep6Withdrawal.safeParse(withdrawalOf(json, assetCode)).data ?? {};
  const names = funding_methods ?? Object.keys(types ?? {});
  return names.filter((each) => name.safeParse(each).success).slice(0, mostNames);
}

function withdrawalOf(json: unknown, assetCode: string): unknown {
  const parsed = transferInfo.safeParse(json);
  if (!parsed.success) return undefined;
  return Object.entries(parsed.data.withdraw).find(([code]) => code === assetCode)?.[1];
}
