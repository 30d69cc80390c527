/** What a person who has just started the service needs: its address, its keys, and commands to try. */
export function welcome(of: {
  url: string;
  simulated: boolean;
  /** The origin of the oracle. */
  oracle: string;
  /** The address of its RPC. */
  ledger: string;
  database: string;
  folder: string;
  adminKey: string;
  cronSecret: string;
}): string {
  const { port } = new URL(of.url);
  const run = `${port === '8080' ? '' : `PORT=${port} `}npm run`;
  const offRamp = `
  ${run} demo         one off-ramp, from its intent to its outcome
  ${run} dispute      then dispute that outcome
`;
  const simulated = 'simulated, on this machine: they move no money, and some fail on purpose';
  return `
Fairlead is up.

  Open this     ${of.url}/
  The API       ${of.url}/docs
  Admin key     ${of.adminKey}
  Cron secret   ${of.cronSecret}
  Anchors       ${of.simulated ? simulated : 'as FLEET_FILE says'}
  Ledger        ${of.ledger}
  Oracle        ${of.oracle}
  Database      ${of.database}
  Data          ${of.folder}

In another terminal, paste one of these:

  curl '${of.url}/api/${of.simulated ? 'rates/usdc-ngn?amount=100' : 'corridors'}'
  curl '${of.url}/api/reputation/leaderboard'
  curl -X POST -H 'X-Admin-Key: ${of.adminKey}' '${of.url}/api/admin/cache/invalidate'
${of.simulated ? offRamp : ''}  ${run} verify       check the signed scores

README.md leads through the first five minutes. Ctrl-C stops all of it.
`;
}
