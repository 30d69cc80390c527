import { describe, expect, it } from '@jest/globals';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { type ZodIssue, z } from 'zod';
import { examples } from '../../contract/examples/index.js';
import { contract } from '../../contract/index.js';
import { answerSchemaOf } from '../../mcp/json-schema.js';
import { isOffered, type Operation, operationsOfContract } from '../../mcp/operations.js';
import { expectFor } from '../support/expect-for.js';
import { leavesOf } from './tampering.js';

const ajv = new AjvJsonSchemaValidator();
/** Values that a later service may have added to a list of texts or numbers. */
const laterValues: Record<string, unknown> = { string: 'added-by-a-later-service', number: 54_321 };

/** Every option that a user can give, so that every operation that can be a tool is offered. */
const options = { url: '', timeoutMs: 1, keys: [], intents: true, adminKey: 'k', accountSecret: 's' };

/** The answers in the examples, by operation. */
const answers = new Map(
  Object.entries(contract).flatMap(([group, routes]) =>
    Object.keys(routes).map((name) => {
      const ofGroup = examples[group as keyof typeof examples] as Record<string, { answer: unknown }>;
      return [name, ofGroup[name]?.answer] as const;
    }),
  ),
);

function successSchema({ route }: Operation): z.ZodTypeAny {
  const [found] = Object.entries(route.responses).flatMap(([status, schema]) =>
    Number(status) < 400 && schema instanceof z.ZodType ? [schema] : [],
  );
  if (found === undefined) throw new Error(`${route.path} answers nothing`);
  return found;
}

/** A copy in which one leaf has the later value for its type. */
function withLaterLeaf(value: unknown, path: readonly (string | number)[]): unknown {
  const copy = structuredClone(value);
  // biome-ignore lint/suspicious/noExplicitAny: walks any JSON
  const parent: any = path.slice(0, -1).reduce((at: any, name) => at[name], copy);
  const name = path.at(-1) ?? '';
  parent[name] = laterValues[typeof parent[name]] ?? parent[name];
  return copy;
}

/** Whether one of the issues is a value that a list does not contain. */
function isOfList(issues: readonly ZodIssue[]): boolean {
  return issues.some(
    (issue) =>
      ['invalid_enum_value', 'invalid_literal', 'invalid_union_discriminator'].includes(issue.code) ||
      (issue.code === 'invalid_union' && issue.unionErrors.some((error) => isOfList(error.issues))),
  );
}

describe('the schema of an answer', () => {
  it('takes every example, and each with a value that no list has yet', () => {
    let lists = 0;
    for (const operation of operationsOfContract().filter((one) => isOffered(one, options))) {
      const { operationId } = operation.metadata;
      const answer = answers.get(operationId);
      const schema = successSchema(operation);
      const validate = ajv.getValidator(answerSchemaOf(schema));
      expectFor(operationId, validate(answer).errorMessage).toBeUndefined();
      for (const { path } of leavesOf(answer)) {
        const later = withLaterLeaf(answer, path);
        const read = schema.safeParse(later);
        if (read.success || !isOfList(read.error.issues)) continue;
        lists += 1;
        expectFor(`${operationId}: ${path.join('.')}`, validate(later).errorMessage).toBeUndefined();
      }
    }
    expect(lists).toBeGreaterThan(20);
  });
});
