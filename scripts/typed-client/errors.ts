import type { ZodTypeAny } from 'zod';
import { type ErrorCode, errorResponses, errorTable } from '../../contract/errors.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { createSchemaWriter, type NameOf, pascalCase } from '../openapi/zod-schema.js';
import { createTypeWriter, doc } from './write-type.js';

const codes = Object.keys(errorTable) as ErrorCode[];

export const errorBodyName = (code: ErrorCode) => `${pascalCase(code)}ErrorBody`;

/** Names for the items of lists without a name of their own, by the name that their position would give. */
const itemNames: Readonly<Record<string, string>> = {
  RatesUnavailableErrorBodyUnavailableItem: 'UnavailableAnchor',
};

const itemDescriptions: Readonly<Record<string, string>> = {
  ErrorDetail: 'One fault of the input: where it is, and what is wrong with it.',
  UnavailableAnchor: 'An anchor that was asked for a quote and gave none.',
};

/** The bodies of errors by their codes. */
export function errorDeclarations(nameOf: NameOf): string {
  const writer = createSchemaWriter(nameOf);
  for (const code of codes) {
    const responses = errorResponses([code]) as Readonly<Record<number, ZodTypeAny>>;
    writer.define(errorBodyName(code), responses[errorTable[code].status] as ZodTypeAny);
  }
  const components = renamed(writer.components());
  const types = createTypeWriter(components);
  const declare = (name: string, description: string) =>
    types.interfaceOf(name, { ...components[name], description });
  const items = Object.entries(itemDescriptions).map(([name, description]) => declare(name, description));
  const bodies = codes.map((code) => {
    const { status, when } = errorTable[code];
    return declare(errorBodyName(code), `\`${code}\`, status ${status}. ${when}`);
  });
  const members = codes.map(
    (code) => `${doc(errorTable[code].when, '  ')}  ${code}: ${errorBodyName(code)};\n`,
  );
  const byCode = `${doc('The body of each error by its code.')}export interface ErrorBodies {\n${members.join('')}}\n`;
  return [...items, ...bodies, byCode, rest].join('\n');
}

function renamed(components: Record<string, JsonSchema>): Record<string, JsonSchema> {
  let text = JSON.stringify(components);
  for (const [place, name] of Object.entries(itemNames)) {
    if (components[place] === undefined) throw new Error(`no error body holds a ${place} any more`);
    text = text.replaceAll(place, name);
  }
  return JSON.parse(text);
}

const rest = `/** What went wrong, for programs. */
export type ErrorCode = keyof ErrorBodies;

/** The body of an error answer: \`{code, message}\` and only what its code promises. A union told apart by \`code\`. */
export type ErrorBody<Code extends ErrorCode = ErrorCode> = ErrorBodies[Code];
`;
