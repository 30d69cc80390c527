import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { type Client, contract } from '../../../contract/index.js';
import { document } from '../../support/answers/document.js';
import { expectFor } from '../../support/expect-for.js';
import { openInEditor } from './language-service.js';

/*
 * Checks what TypeScript's language service, which editors use, shows on hover over the names of the package: on one page
 * as a reader would write it, and for every member that the types of a client reach.
 */
const page = `import { createClient, unwrap } from './contract/client/index.js';
const client = createClient('https://fairlead.example');
const answer = await client.rates.getRates({ params: { corridor: 'usdc-ngn' }, query: { amount: '100' } });
if (answer.status === 200) {
  for (const quote of answer.body.quotes) console.log(quote.receiveAmount, quote.tier, quote.reputation.score);
} else if (answer.body.code === 'RATE_LIMITED') {
  console.log(answer.body.retryAfter);
}
const entries = client.publisher.listBatchEntries.all({ params: { sequence: '1' } });
const rates = unwrap(answer);
export { entries, rates };
`;

describe('an editor over a page that compares rates', () => {
  const { hover } = openInEditor(page);

  it.each([
    [
      'client.rates.',
      'getRates',
      'getRates(args: GetRatesArguments): Promise<GetRatesResult>',
      'Compare what the anchors',
    ],
    ['client.rates.', 'getRates', 'getRates', 'Limit: 90 requests per 60 s'],
    ['client.', 'rates', 'rates: RatesOperations', 'What the anchors of a corridor pay out'],
    ['params: { ', 'corridor', 'corridor: string', 'Corridor, in upper or lower case'],
    ['query: { ', 'amount', 'amount?: string', 'Stablecoin to sell: a decimal string'],
    ['const ', 'answer', 'const answer: GetRatesResult', ''],
    ['answer.body.', 'quotes', 'quotes: RateQuote[]', 'In the order of'],
    ['const ', 'quote', 'const quote: RateQuote', ''],
    ['quote.', 'receiveAmount', 'RateQuote.receiveAmount: string', 'Fiat received for it, all fees in'],
    ['quote.', 'tier', 'RateQuote.tier: QuoteTier', 'indicative SEP-38 price'],
    ['answer.body.', 'retryAfter', 'RateLimitedErrorBody.retryAfter: number', 'Seconds to wait'],
    ['.', 'all', 'AsyncGenerator<ScoreCard, void', 'Every item of this page and of those after it'],
    ['const ', 'rates', 'const rates: RatesAnswer', ''],
  ])('shows over %s%s: %s', (before, name, declaration, documentation) => {
    const shown = hover(before, name);
    expect(shown.declaration.replaceAll(/\s+/g, ' ')).toContain(declaration);
    expect(shown.documentation.replaceAll(/\s+/g, ' ')).toContain(documentation);
    expect(shown.declaration).not.toMatch(/ClientInfer|Zod/);
  });
});

/** Every member that properties, arguments and answers reach from a type of the package, with its text. */
function membersOf(program: ts.Program, start: ts.Type): Map<string, string> {
  const checker = program.getTypeChecker();
  const members = new Map<string, string>();
  const seen = new Set<ts.Type>();
  const isOurs = (symbol: ts.Symbol) =>
    (symbol.declarations ?? []).some((one) => one.getSourceFile().fileName.includes('/contract/client/'));

  function visit(type: ts.Type): void {
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) for (const part of type.types) visit(part);
    for (const argument of checker.getTypeArguments(type as ts.TypeReference) ?? []) visit(argument);
    for (const signature of type.getCallSignatures()) visitCall(signature);
    for (const property of type.getProperties()) {
      if (!isOurs(property)) continue;
      const owner = type.symbol?.name ?? '';
      const text = ts.displayPartsToString(property.getDocumentationComment(checker));
      members.set(`${owner}.${property.name}`, text);
      visit(checker.getTypeOfSymbol(property));
    }
  }
  function visitCall(signature: ts.Signature): void {
    for (const parameter of signature.getParameters()) visit(checker.getTypeOfSymbol(parameter));
    visit(signature.getReturnType());
  }

  visit(start);
  return members;
}

describe('every name that a client leads to', () => {
  const text = `import { createClient, type WebhookEvents } from './contract/index.js';
export const client = createClient('');
export declare const events: WebhookEvents;
`;
  const { program } = openInEditor(text);
  const checker = program.getTypeChecker();
  const file = program.getSourceFiles().find(({ fileName }) => fileName.endsWith('/hovered.ts'));
  const symbol = file && checker.getSymbolAtLocation(file);
  const members = new Map(
    (symbol === undefined ? [] : checker.getExportsOfModule(symbol)).flatMap((one) => [
      ...membersOf(program, checker.getTypeOfSymbol(one)),
    ]),
  );

  it('has its description as hover text', () => {
    expect(members.size).toBeGreaterThan(700);
    expect([...members].filter(([, documentation]) => documentation === '').map(([name]) => name)).toEqual(
      [],
    );
  });

  it('is reached: each operation, each error code and each component of the document', () => {
    const names = new Set([...members.keys()].map((name) => name.split('.')[0]));
    const operations: (keyof Client)[] = Object.keys(contract) as (keyof Client)[];
    for (const group of operations)
      for (const name of Object.keys(contract[group]))
        expectFor(
          `${group}.${name}`,
          [...members.keys()].some((member) => member.endsWith(`.${name}`)),
        ).toBe(true);
    const objects = Object.entries(document.components.schemas).filter(
      ([name, { properties = {} }]) => !name.includes('Error') && Object.keys(properties).length > 0,
    );
    expect(objects.map(([name]) => name).filter((name) => !names.has(name))).toEqual([]);
  });

  it('says what the document says', () => {
    const { RateQuote } = document.components.schemas;
    for (const [name, { description = '' }] of Object.entries(RateQuote?.properties ?? {}))
      expectFor(name, plain(members.get(`RateQuote.${name}`) ?? '')).toContain(plain(description));
  });
});

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
