import { readdirSync, readFileSync } from 'node:fs';
import { accepted } from './accepted.js';
import { findBreaks } from './document-changes.rules.js';
import type { OpenApi } from './document-parts.rules.js';
import { judge, latestOf, type Verdict } from './gate.rules.js';

const folder = new URL('../../docs/releases/', import.meta.url);

export function lastRelease(): { version: string; document: OpenApi } {
  const versions = readdirSync(folder).flatMap(
    (name) => /^openapi-(\d+\.\d+\.\d+)\.json$/.exec(name)?.[1] ?? [],
  );
  const version = latestOf(versions);
  if (version === undefined) throw new Error('docs/releases has no document of a release');
  return { version, document: JSON.parse(readFileSync(new URL(`openapi-${version}.json`, folder), 'utf8')) };
}

/** What a document of the version at hand breaks for clients of the last release. */
export function verdictOf(document: OpenApi): Verdict & { released: string } {
  const { version: released, document: old } = lastRelease();
  const findings = findBreaks(old, document);
  return { released, ...judge(findings, { released, present: document.info.version, accepted }) };
}
