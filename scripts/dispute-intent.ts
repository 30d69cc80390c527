import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { unwrap } from '../contract/client/fairlead-error.js';
import { createClient, signDispute } from '../contract/index.js';
import { type LastDemo, readLastDemo } from './lib/files.js';
import { explainFailure, readOptions } from './lib/local-service.js';

const help = `npm run dispute -- [--accept]

Disputes the outcome of the latest npm run demo, signed with the key of its wallet. --accept then accepts the dispute,
as an admin does.`;

const secretsFile = fileURLToPath(new URL('../data/secrets.json', import.meta.url));

/** Files the dispute as the wallet, or reads the one that was filed before. */
async function file({ serviceUrl, intentHash, anchorId, secretKey }: LastDemo) {
  const reason = 'Nothing arrived in my account.';
  const body = signDispute({ intentHash, anchorId, reason, secretKey });
  const answer = await createClient(serviceUrl).disputes.fileDispute({ body });
  const { id, status, filedBy } = unwrap(answer);
  console.log(`${answer.status}  dispute ${id} by the ${filedBy}, signature verified: ${status}`);
  return { id, status };
}

/** Accepts as an admin, with the key of the environment, else the one that `npm start` generated. */
async function accept({ serviceUrl }: LastDemo, id: string): Promise<void> {
  const adminKey =
    process.env.ADMIN_SECRET_KEY || JSON.parse(await readFile(secretsFile, 'utf8')).ADMIN_SECRET_KEY;
  const { adminDisputes } = createClient(serviceUrl, { adminKey });
  const verdict = { id, action: 'accept', note: 'Tried out.' } as const;
  const { status, effect } = unwrap(await adminDisputes.resolveDispute({ body: verdict }));
  console.log(`200  ${status}; what that makes of the outcome: ${effect}`);
}

async function main(): Promise<void> {
  const { values } = readOptions(help, { accept: { type: 'boolean', default: false } });
  const demo = await readLastDemo();
  if (demo === undefined) throw new Error('There is no outcome to dispute yet: npm run demo');
  const { id, status } = await file(demo);
  if (values.accept) await accept(demo, id);
  else if (status === 'open')
    console.log('\nAn admin decides. Be the admin:\n\n  npm run dispute -- --accept\n');
}

main().catch(explainFailure);
