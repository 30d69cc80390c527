import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { clientAddresses, fire, forwardedFor, type LoadResult } from '../lib/load.js';
import { answerQuestion, serveQuestions } from '../lib/programs/answer-questions.js';
import type { FloodTarget } from './target.js';

/** So many addresses that each is used a few times only, below its limit per key: every dispute is examined. */
const clientsPerConnection = 400;
const connections = 16;

const target = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as FloodTarget;
let usedClients = 0;

/** Disputes of known accounts, each from another address than the one before, as fast as they are answered. */
function flood(intentHashOf: (known: string) => string, expect: number): Promise<LoadResult> {
  const { url, seconds, intents } = target;
  return fire({
    url: `${url}/api/reputation/dispute`,
    method: 'POST',
    seconds,
    connections,
    headers: { 'content-type': 'application/json' },
    expect,
    requests: (connection) => {
      const first = (1 << 20) + usedClients;
      usedClients += clientsPerConnection;
      return clientAddresses(first, clientsPerConnection).map((address, place) => {
        const { intentHash, publicKey } =
          intents[(connection * clientsPerConnection + place) % intents.length] ?? unknown();
        const signature = Buffer.concat([randomBytes(63), Buffer.alloc(1)]).toString('base64');
        const claim = { intentHash: intentHashOf(intentHash), publicKey, signature, anchorId: 'harbour' };
        return {
          ...forwardedFor(address),
          body: JSON.stringify({ ...claim, reason: 'Nothing arrived.' }),
        };
      });
    },
  });
}

function unknown(): never {
  throw new Error('there are no intents to dispute');
}

answerQuestion('verified', () => flood((known) => known, 403));
answerQuestion('unknown', () => flood(() => randomBytes(32).toString('hex'), 404));
serveQuestions();
