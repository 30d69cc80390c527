import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { errorTable } from '../../contract/errors.js';
import { contract } from '../../contract/index.js';
import { fileDisputeBody } from '../../contract/schemas/disputes.js';
import { eventEnvelope } from '../../contract/schemas/events.js';
import { attachTransactionBody, createIntentBody, intentTransition } from '../../contract/schemas/intents.js';
import { corridorObservations } from '../../contract/schemas/observations.js';
import { ratesAnswer } from '../../contract/schemas/rates.js';
import { scoreCard } from '../../contract/schemas/score-card.js';
import { batchHeader } from '../../contract/verification/verify-batch.js';
import { fieldsOf } from '../../scripts/openapi/operation-object.js';
import { operationsOf } from '../../scripts/openapi/operations.js';
import { pascalCase } from '../../scripts/openapi/zod-schema.js';
import { document } from '../support/answers/document.js';
import { faultsOf } from '../support/answers/schemas.js';
import { expectFor } from '../support/expect-for.js';
import { type Block, everyBlock } from './fenced-blocks.js';

/** How a block is compared with the service. */
type Treatment =
  | { json: z.ZodTypeAny }
  /** Its paths and query parameters must be in the contract. */
  | { endpoints: true }
  /** The file of the test that runs or checks the block. */
  | { test: string }
  /** The reason why the block is neither run nor checked. */
  | { reason: string };

interface Rule {
  file: string;
  /** Matches `fence\ntext` of the block. */
  block: RegExp;
  is: Treatment;
}

const shell = { test: 'test/guides/run-blocks.long.test.ts' };
const guides = { test: 'test/guides/reader-guides.long.test.ts' };
const formula = { reason: 'a formula, which a test of its page or of its rules computes' };

const rules: Rule[] = [
  {
    file: 'README.md',
    block: /^\nnpm ci\nnpm start\n$/,
    is: { test: 'test/scripts/start-local.long.test.ts' },
  },
  {
    file: 'README.md',
    block: /^(sh\n(curl|npm|KEY)|text\n)/,
    is: { test: 'test/guides/first-five-minutes.long.test.ts' },
  },
  { file: 'README.md', block: /^ts\n/, is: shell },
  {
    file: 'README.md',
    block: /npm run build:contract/,
    is: { test: 'test/clients/package/consumer.ts' },
  },
  { file: 'README.md', block: /^\ncp \.env/, is: { reason: 'prunes the packages that the tests run on' } },
  {
    file: 'contract/README.md',
    block: /^\nnpm install @fairlead\/contract\n$/,
    is: { reason: 'works once the package is in a registry; the tests install it from a packed file' },
  },
  { file: 'contract/README.md', block: /^ts [a-z-]+\n/, is: { test: 'test/clients/readme/snippets.ts' } },
  ...(['go', 'python', 'java'] as const).flatMap((language): Rule[] => {
    const file = `clients/${language}/README.md`;
    const test = `test/clients/${language}/${language === 'python' ? 'client' : language}.long.test.ts`;
    const reason =
      "installs from a clone into the reader's own environment; the tests build it in one of their own";
    return [
      { file, block: /^\w+ first-request\n/, is: { test } },
      { file, block: /^(sh|xml)\n/, is: { reason } },
    ];
  }),
  { file: 'mcp/README.md', block: /./, is: { test: 'test/mcp/package.long.test.ts' } },
  { file: 'docs/backup.md', block: /./, is: { test: 'test/operations/restore/restore.long.test.ts' } },
  { file: 'docs/benchmarks.md', block: /^sh\n/, is: { reason: 'the benches load every core for minutes' } },
  {
    file: 'docs/deploying.md',
    block: /^sh\n/,
    is: { reason: 'needs an engine, a cluster or systemd; test/deploy checks the files that it applies' },
  },
  { file: 'docs/disputes.md', block: /^\n(GET|POST) /, is: { endpoints: true } },
  { file: 'docs/disputes.md', block: /^json\n/, is: { json: fileDisputeBody } },
  {
    file: 'docs/disputes.md',
    block: /^(ts [a-z]+|python)\n/,
    is: { test: 'test/disputes/http/guide.long.test.ts' },
  },
  { file: 'docs/fleet.md', block: /^(json|text)\n/, is: { test: 'test/anchors/rules/fleet-guide.test.ts' } },
  { file: 'docs/guides/anchors.md', block: /./, is: guides },
  { file: 'docs/guides/contributors.md', block: /./, is: guides },
  { file: 'docs/guides/operators.md', block: /./, is: guides },
  {
    file: 'docs/guides/page.md',
    block: /^html\n<iframe /,
    is: { test: 'test/web/browser/pictures.long.test.ts' },
  },
  { file: 'docs/guides/oracle-consumers.md', block: /./, is: guides },
  { file: 'docs/guides/webhook-receivers.md', block: /./, is: guides },
  {
    file: 'docs/guides/tanstack-query.md',
    block: /^\nnpm install /,
    is: { reason: 'installs from a registry what the test of the page has already' },
  },
  {
    file: 'docs/guides/tanstack-query.md',
    block: /^tsx? [a-z-]+\n/,
    is: { test: 'test/clients/tanstack-query/tanstack-query.long.test.ts' },
  },
  {
    file: 'docs/guides/wallets.md',
    block: /^(sh\nnpm install|ts [a-z]+\n)/,
    is: { test: 'test/guides/wallets.long.test.ts' },
  },
  { file: 'docs/intents.md', block: /^\n(GET|POST) /, is: { endpoints: true } },
  { file: 'docs/intents.md', block: /^json\n\{\n/, is: { json: createIntentBody } },
  { file: 'docs/intents.md', block: /^json\n\{ /, is: { json: attachTransactionBody } },
  { file: 'docs/intents.md', block: /^ts\n/, is: shell },
  { file: 'docs/observations.md', block: /^\nGET /, is: { endpoints: true } },
  { file: 'docs/observations.md', block: /^json\n/, is: { json: corridorObservations } },
  {
    file: 'docs/operations.md',
    block: /^promql\n/,
    is: { reason: 'is for a Prometheus; test/operations parses the rules that use the same metric' },
  },
  { file: 'docs/privacy.md', block: /^sh\n/, is: { test: 'test/intents/store/erasure.long.test.ts' } },
  { file: 'docs/publisher.md', block: /^json\n/, is: { json: batchHeader } },
  { file: 'docs/publisher.md', block: /^ts\n/, is: shell },
  {
    file: 'docs/publisher.md',
    block: /npm run verify/,
    is: { test: 'test/publisher/http/verify-service.long.test.ts' },
  },
  { file: 'docs/rate-history.md', block: /^\nGET /, is: { endpoints: true } },
  { file: 'docs/rate-history.md', block: /^\ncurl /, is: shell },
  { file: 'docs/rates.md', block: /^\nGET /, is: { endpoints: true } },
  { file: 'docs/rates.md', block: /^jsonc\n/, is: { json: ratesAnswer } },
  { file: 'docs/rates.md', block: /^\ncurl /, is: shell },
  { file: 'docs/rates.md', block: /^\n(low|expectedReceive|\(n |amount|f\/s)/, is: formula },
  { file: 'docs/replica-set.md', block: /./, is: { test: 'test/operations/replica-set.long.test.ts' } },
  { file: 'docs/reputation.md', block: /^\nGET /, is: { endpoints: true } },
  { file: 'docs/reputation.md', block: /^\nscore = /, is: formula },
  { file: 'docs/reputation.md', block: /^\ncurl /, is: shell },
  { file: 'docs/reputation.md', block: /^text\n/, is: { test: 'test/reputation/lab.test.ts' } },
  { file: 'docs/reputation.md', block: /^json\n/, is: { json: scoreCard.partial() } },
  { file: 'docs/streams.md', block: /^\nGET /, is: { endpoints: true } },
  { file: 'docs/streams.md', block: /^js\n/, is: { test: 'test/guides/streams.long.test.ts' } },
  {
    file: 'docs/streams.md',
    block: /^jsonc\n/,
    is: { json: intentTransition.extend({ intent: z.object({}) }) },
  },
  {
    file: 'docs/upgrading.md',
    block: /^sh migrate\n/,
    is: { test: 'test/operations/migrate.long.test.ts' },
  },
  { file: 'docs/webhooks.md', block: /^sh\n/, is: shell },
  { file: 'docs/webhooks.md', block: /^json\n/, is: { json: eventEnvelope('intent.settled') } },
  { file: 'docs/webhooks.md', block: /^(ts|python)\n/, is: { test: 'test/webhooks/rules/guide.test.ts' } },
];

const blocks = everyBlock();
const asText = ({ fence, text }: Block) => `${fence}\n${text}`;
const isErrorPage = ({ file }: Block) => file.startsWith('docs/errors/');
const rulesOf = (block: Block) =>
  rules.filter(({ file, block: pattern }) => file === block.file && pattern.test(asText(block)));
/** A label that identifies the block in its file. */
const nameOf = ({ file, fence, text }: Block) => `${file} ${fence} ${text.trim().split('\n')[0]}`;
const treatedAs = (kind: string) =>
  blocks.flatMap((block) => rulesOf(block).flatMap(({ is }) => (kind in is ? [{ block, is }] : [])));

describe('every fenced block of README.md, docs/ and the README of each package', () => {
  it('is run, checked, or left out for a stated reason, in one way each', () => {
    expect(blocks.length).toBeGreaterThan(70);
    const others = blocks.filter((block) => !isErrorPage(block));
    for (const block of others) expectFor(nameOf(block), rulesOf(block).length).toBe(1);
  });

  it('has no rule that is left over from a block which is gone', () => {
    const unused = rules.filter((rule) => !blocks.some((block) => rulesOf(block).includes(rule)));
    expect(unused.map(({ file, block }) => `${file} ${block}`)).toEqual([]);
  });

  it('names a test that exists and reads that file, where it is run elsewhere', () => {
    for (const { block, is } of treatedAs('test')) {
      const { test } = is as { test: string };
      const path = new URL(`../../${test}`, import.meta.url);
      expectFor(test, existsSync(path)).toBe(true);
      const name = block.file.split('/').at(-1) ?? '';
      // The local start and the packed package are tested by what their commands do, not by the text of the block.
      if (!/start-local|consumer|verify-service/.test(test))
        expectFor(test, readFileSync(path, 'utf8')).toContain(name);
    }
  });
});

/** Parses JSON after removing comments; `…` stays, as part of a string. */
function parseJson(text: string): unknown {
  return JSON.parse(text.replaceAll(/^((?:[^"\n]|"(?:[^"\\\n]|\\.)*")*?)\/\/.*$/gm, '$1'));
}

describe('a block of JSON', () => {
  it.each(treatedAs('json').map(({ block, is }) => [nameOf(block), block, is] as const))(
    'of %s is what the contract says',
    (_name, { text }, is) => {
      const { json: schema } = is as { json: z.ZodTypeAny };
      const { success, error } = schema.safeParse(parseJson(text));
      expect(error?.issues ?? []).toEqual([]);
      expect(success).toBe(true);
    },
  );

  it('of docs/errors/ is a body that the document lists for the code of the page', () => {
    const bodies = blocks.filter(isErrorPage);
    expect(bodies.map(({ file }) => file).sort()).toEqual(
      Object.keys(errorTable)
        .map((code) => `docs/errors/${code}.md`)
        .sort(),
    );
    const schemas = Object.keys(document.components.schemas).filter((name) => name.endsWith('Error'));
    for (const { file, text } of bodies) {
      const body: { code: string } = JSON.parse(text);
      expect(file).toBe(`docs/errors/${body.code}.md`);
      const fitting = schemas.filter((name) => name === 'EdgeError' || name.includes(pascalCase(body.code)));
      const faults = fitting.map((name) => faultsOf({ $ref: `#/components/schemas/${name}` }, body));
      expectFor(body.code, faults).toContainEqual([]);
    }
  });
});

describe('a block that lists endpoints', () => {
  const operations = operationsOf(contract);

  it.each(treatedAs('endpoints').map(({ block }) => [nameOf(block), block] as const))(
    '%s names paths and parameters of the contract',
    (_name, { text }) => {
      let path = '';
      for (const line of text.trim().split('\n')) {
        const [, method = '', target = ''] = /^(GET|POST|PATCH|DELETE) +(\S+)/.exec(line) ?? [];
        const [given = '', query = ''] = target.split('?');
        path = given;
        const found = operations.find((one) => one.path === path && one.route.method === method);
        expectFor(line, found).toBeDefined();
        const names = query === '' ? [] : query.split('&').map((one) => one.split('=')[0] ?? '');
        const known = Object.keys(fieldsOf(found?.route.query));
        expectFor(
          line,
          names.filter((name) => !known.includes(name)),
        ).toEqual([]);
      }
    },
  );
});
