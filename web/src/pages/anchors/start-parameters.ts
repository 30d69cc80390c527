import type { StartingPoint } from '@fairlead/contract/client';

/** What the request that starts the withdrawal names besides the account; each protocol has its own parameter names. */
export function startParameters(
  point: Pick<StartingPoint, 'protocol' | 'assetCode' | 'assetIssuer' | 'destinationAsset'>,
): string {
  const { protocol, assetCode, assetIssuer, destinationAsset } = point;
  const isSep24 = protocol === 'sep24';
  const parameters = [
    [isSep24 ? 'asset_code' : 'source_asset', assetCode],
    ['asset_issuer', isSep24 ? assetIssuer : null],
    ['destination_asset', destinationAsset],
  ];
  return parameters.flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`])).join('\n');
}
