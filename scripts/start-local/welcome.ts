interface WelcomeFacts {
  url: string;
  simulated: boolean;
  database: string;
  folder: string;
  adminKey: string;
  cronSecret: string;
  /** One that the fleet serves, and an amount it takes. */
  corridor: { id: string; amount: string };
}

/** What a person needs who has just started the service: where it is, its keys, and what to try. */
export function welcome({
  url,
  simulated,
  database,
  folder,
  adminKey,
  cronSecret,
  corridor,
}: WelcomeFacts): string {
  const fleet = simulated ? 'simulated anchors on this machine: they move no money' : 'as FLEET_FILE says';
  const { port } = new URL(url);
  return `
Fairlead is up.

  Service       ${url}
  Try it out    ${url}/docs
  Admin key     ${adminKey}
  Cron secret   ${cronSecret}
  Anchors       ${fleet}
  Database      ${database}
  Data          ${folder}

Paste one of these:

  curl '${url}/api/rates/${corridor.id}?amount=${corridor.amount}'
  curl '${url}/api/reputation/leaderboard'
  curl -X POST -H 'X-Admin-Key: ${adminKey}' '${url}/api/admin/cache/invalidate'

${simulated ? `In another terminal, watch one off-ramp go through: ${port === '8080' ? '' : `PORT=${port} `}npm run demo\n` : ''}Ctrl-C stops all of it.
`;
}
