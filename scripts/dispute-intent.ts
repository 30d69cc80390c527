import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createClient, signDispute } from '../contract/index.js';
import { type LastDemo, readLastDemo } from './lib/files.js';
import { explainFailure, readOptions } from './lib/local-service.js';

const help = `npm run dispute -- [--reason text] [--accept | --reject]

Disputes the outcome of the latest npm run demo, signed with the key of its wallet. --accept or --reject then decides
as an admin does.`;

const secretsFile = fileURLToPath(new URL('../data/secrets.json', import.meta.url));

/** Files the dispute as the wallet, or reads the one that was filed before. */
async function file({ serviceUrl, intentHash, anchorId, secretKey }: LastDemo, reason: string) {
  const client = createClient(serviceUrl);
  const body = signDispute({ intentHash, anchorId, reason, secretKey });
  const answer = await client.disputes.fileDispute({ body });
  if (answer.status !== 201 && answer.status !== 200)
    throw new Error(`${answer.status} ${answer.body.code}: ${answer.body.message}`);
  return { ...answer.body, isNew: answer.status === 201 };
}

/** Decides as an admin, with the key of the environment, else the one that `npm start` generated. */
async function decide({ serviceUrl }: LastDemo, id: string, action: 'accept' | 'reject') {
  const adminKey =
    process.env.ADMIN_SECRET_KEY || JSON.parse(await readFile(secretsFile, 'utf8')).ADMIN_SECRET_KEY;
  const client = createClient(serviceUrl, { adminKey });
  const answer = await client.adminDisputes.resolveDispute({ body: { id, action, note: 'Tried out.' } });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.code}: ${answer.body.message}`);
  return answer.body;
}

async function main(): Promise<void> {
  const { values } = readOptions(help, {
    reason: { type: 'string', default: 'Nothing arrived in my account.' },
    accept: { type: 'boolean', default: false },
    reject: { type: 'boolean', default: false },
  });
  if (values.accept && values.reject) throw new Error('Either --accept or --reject.');
  const demo = await readLastDemo();
  if (demo === undefined) throw new Error('There is no outcome to dispute yet: npm run demo');

  const { id, status, filedBy, isNew } = await file(demo, values.reason);
  console.log(`${isNew ? '201' : '200'}  dispute ${id} by the ${filedBy}, signature verified: ${status}`);
  if (!values.accept && !values.reject) {
    if (status === 'open')
      console.log('\nAn admin decides. Be the admin:\n\n  npm run dispute -- --accept\n');
    return;
  }
  const decided = await decide(demo, id, values.accept ? 'accept' : 'reject');
  const effect = values.accept ? `; what that makes of the outcome: ${decided.effect}` : '';
  console.log(`200  ${decided.status}${effect}`);
}

main().catch(explainFailure);
