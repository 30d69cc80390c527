import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { JsonSchema } from './json-schema.js';

export interface Header {
  description: string;
  required: boolean;
  schema: JsonSchema;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

/** What is written by hand: it names the address of a service started by `npm start`, and a service names its own. */
interface Written {
  info: {
    title: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  /** In the order in which a newcomer meets them: public reads first. */
  tags: { name: string; description: string }[];
  securitySchemes: Record<string, Record<string, string>>;
  headers: Record<string, Header>;
  parameters: Record<'ifNoneMatch' | 'callbackSignature', Parameter>;
}

export const written: Written = parse(readFileSync(new URL('./document.yaml', import.meta.url), 'utf8'));
