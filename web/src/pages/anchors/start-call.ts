/** The typed client's call that gives a program the same starting point as the steps beside it. */
export function startCall(options: {
  service: string;
  anchorId: string;
  corridor: string;
  protocol: 'sep24' | 'sep6';
}): string {
  const { service, anchorId, corridor, protocol } = options;
  return `import { createClient, unwrap } from '@fairlead/contract/client';

const client = createClient('${service}');
const { start } = unwrap(await client.anchors.getAnchor({ params: { anchor: '${anchorId}' } }));
const from = start.find(
  ({ corridor, protocol }) => corridor === '${corridor}' && protocol === '${protocol}',
);`;
}

/** What the request that starts the withdrawal names besides the account; each protocol has its own parameter names. */
export function startParameters(point: {
  protocol: 'sep24' | 'sep6';
  assetCode: string;
  assetIssuer: string | null;
  destinationAsset: string;
}): string {
  const { protocol, assetCode, assetIssuer, destinationAsset } = point;
  const parameters: [string, string | null][] =
    protocol === 'sep24'
      ? [
          ['asset_code', assetCode],
          ['asset_issuer', assetIssuer],
          ['destination_asset', destinationAsset],
        ]
      : [
          ['source_asset', assetCode],
          ['destination_asset', destinationAsset],
        ];
  return parameters.flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`])).join('\n');
}
