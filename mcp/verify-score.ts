import { z } from 'zod';
import {
  anchorInRequest,
  type BatchKey,
  batchHeader,
  type Client,
  corridorInRequest,
  decimalAnswer,
  reputationState,
  UnexpectedAnswerError,
} from '../contract/index.js';
import { checkProof } from './check-proof.js';
import { answerSchemaOf, jsonSchemaOf, type Tool } from './operations.js';
import { answeredFault, invalidArguments, ToolError, thrownFault } from './tool-error.js';

const input = z
  .object({
    anchor: anchorInRequest.describe('The anchor whose score is to be checked.'),
    corridor: corridorInRequest.describe('The corridor of that score: `usdc-ngn`.'),
    sequence: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'must be a whole number from 1')
      .optional()
      .describe('Number of the batch; the newest when absent.'),
  })
  .strict();

const output = z.object({
  verified: z
    .literal(true)
    .describe('A score that does not verify is an error `PROOF_REFUSED`, never an answer.'),
  anchorId: z.string().describe('The anchor.'),
  corridor: z.string().describe('The corridor.'),
  score: decimalAnswer
    .nullable()
    .describe('The score that was signed; null while there is too little to judge.'),
  state: reputationState,
  formula: z.string().describe('The formula that the score follows.'),
  entry: z.record(z.unknown()).describe('The whole entry that was signed, with every input of the score.'),
  batch: batchHeader.describe('The signed header of the batch.'),
  headerHash: z.string().describe('Its hash, computed here: keep it to notice a change of earlier batches.'),
  checks: z.array(z.string()).describe('What was checked here, without asking the service.'),
  trust: z
    .object({
      keys: z
        .enum(['given', 'service'])
        .describe(
          '`given`: the key is one of the user. `service`: it came from the service that is checked.',
        ),
      publicKey: z.string().describe('The key that the signature verifies under, `G…`.'),
      statement: z.string().describe('What has to be believed nevertheless.'),
    })
    .describe('What the result rests on.'),
});

/** `verify_score`: asks for the proof of a score, and checks it on this side with the contract package. */
export function createVerifyScore(client: Client, given: readonly BatchKey[]): Tool {
  return {
    definition: {
      name: 'verify_score',
      title: 'Verify a published score',
      description:
        'Fetches the published entry of an anchor in a corridor with its proof and its batch, and checks them here: the ' +
        "publisher's signature, the formula, and that the signed batch contains exactly this entry. The answer says which " +
        'keys were trusted. A proof that does not hold is an error, and its score must not be used.',
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(input.shape).map(([name, schema]) => [name, jsonSchemaOf(schema)]),
        ),
        required: ['anchor', 'corridor'],
        additionalProperties: false,
      },
      outputSchema: answerSchemaOf(output),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    },
    async run(args, signal) {
      const { anchor, corridor, ...which } = parse(args);
      try {
        const sequence = which.sequence ?? (await newest(client, signal));
        const keys = given.length > 0 ? given : await listedKeys(client, signal);
        const proof = await askForProof(client, { sequence, anchor, corridor }, signal);
        const checked = checkProof(proof, {
          sequence: Number(sequence),
          anchor,
          corridor,
          keys,
        });
        const { card, header, publicKey, ...rest } = checked;
        return {
          verified: true,
          anchorId: card.anchorId,
          corridor: card.corridor,
          score: card.score,
          state: card.state,
          formula: header.formula,
          batch: header,
          ...rest,
          trust: { ...trustIn(given.length > 0), publicKey },
        } satisfies z.input<typeof output>;
      } catch (error) {
        const fault = thrownFault(error, 'repeat');
        if (fault === undefined) throw error;
        throw new ToolError(fault);
      }
    },
  };
}

function parse(args: Record<string, unknown>): z.output<typeof input> {
  const parsed = input.safeParse(args);
  if (parsed.success) return parsed.data;
  throw invalidArguments(parsed.error);
}

/** The body of a proof, also of one that is not of its form: whoever checks it says so, and that it is not to be used. */
async function askForProof(
  client: Client,
  { sequence, ...query }: { sequence: string; anchor: string; corridor: string },
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const request = { params: { sequence }, query, fetchOptions: { signal } };
    const answer = await client.publisher.proveBatchEntry(request);
    if (answer.status !== 200) throw new ToolError(answeredFault(answer));
    return answer.body;
  } catch (error) {
    if (!(error instanceof UnexpectedAnswerError) || error.status !== 200) throw error;
    if (error.path === 'body')
      throw new ToolError({ code: 'PROOF_REFUSED', message: error.message, retry: false });
    return error.body;
  }
}

/** The number of the newest batch. */
async function newest(client: Client, signal: AbortSignal): Promise<string> {
  const listed = await client.publisher.listBatches({ query: { limit: '1' }, fetchOptions: { signal } });
  if (listed.status !== 200) throw new ToolError(answeredFault(listed));
  const [batch] = listed.body.items;
  if (batch !== undefined) return String(batch.header.sequence);
  const message = 'The service has published no batch yet.';
  throw new ToolError({ code: 'NOTHING_PUBLISHED', message, retry: false });
}

async function listedKeys(client: Client, signal: AbortSignal): Promise<BatchKey[]> {
  const health = await client.publisher.getPublisherHealth({ fetchOptions: { signal } });
  if (health.status !== 200) throw new ToolError(answeredFault(health));
  return health.body.keys;
}

function trustIn(isGiven: boolean): { keys: 'given' | 'service'; statement: string } {
  const always = 'A newer batch may exist, and what the outcomes were rests on the inputs of the entry.';
  return isGiven
    ? {
        keys: 'given',
        statement: `The key is one that the user gave with --key: only its holder can have signed this score. ${always}`,
      }
    : {
        keys: 'service',
        statement:
          'The key was taken from the service itself. This shows only that its answers agree with each other: whoever ' +
          'answers in its place could have signed anything. To be certain, start fairlead-mcp with --key and the ' +
          `publisher's key from a source that you trust. ${always}`,
      };
}
