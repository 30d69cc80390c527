export interface WelcomeFacts {
  /** The address of the web page. */
  page: string;
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
  /** Path of a request to try. */
  example: string;
}

/** What a person who has just started the service needs: its address, its keys, and commands to try. */
export function welcome({
  page,
  url,
  simulated,
  oracle,
  ledger,
  database,
  folder,
  adminKey,
  cronSecret,
  example,
}: WelcomeFacts): string {
  const fleet = simulated
    ? 'simulated, on this machine: they move no money, and some fail on purpose'
    : 'as FLEET_FILE says';
  const { port } = new URL(url);
  const run = `${port === '8080' ? '' : `PORT=${port} `}npm run`;
  const offRamp = `
  ${run} demo         one off-ramp, from its intent to its outcome
  ${run} dispute      then dispute that outcome
`;
  return `
Fairlead is up.

  Open this     ${page}
  The API       ${url}/docs
  Admin key     ${adminKey}
  Cron secret   ${cronSecret}
  Anchors       ${fleet}
  Ledger        ${ledger}
  Oracle        ${oracle}
  Database      ${database}
  Data          ${folder}

In another terminal, paste one of these:

  curl '${url}${example}'
  curl '${url}/api/reputation/leaderboard'
  curl -X POST -H 'X-Admin-Key: ${adminKey}' '${url}/api/admin/cache/invalidate'
${simulated ? offRamp : ''}  ${run} verify       check the signed scores

README.md leads through the first five minutes. Ctrl-C stops all of it.
`;
}
