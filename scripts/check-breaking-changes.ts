/**
 * Compares the document that the contract gives now with that of the last release: `npm run check:breaking` ends with 1 if
 * something breaks for clients and the major version in package.json has not moved.
 */

import { isMain } from '../server/is-main.js';
import type { OpenApi } from './breaking-changes/document-parts.rules.js';
import { whereOf } from './breaking-changes/gate.rules.js';
import { verdictOf } from './breaking-changes/releases.js';
import { presentDocument } from './emit-openapi.js';

function check(): void {
  const document = presentDocument() as unknown as OpenApi;
  const { version } = document.info;
  const { released, breaks, idle, isMajorMoved, passes } = verdictOf(document);
  for (const one of idle)
    console.error(
      `${one.where}: nothing breaks there; remove the exception from scripts/breaking-changes/accepted.ts`,
    );
  if (isMajorMoved || breaks.length === 0) {
    console.log(`${breaks.length} places break clients of ${released}, and the version is ${version}`);
  } else {
    for (const one of breaks) console.error(`${whereOf(one)} ${one.sentence}`);
    console.error(
      `${breaks.length} changes break clients of ${released}: take them back, or move the major version (docs/versioning.md)`,
    );
  }
  if (!passes) process.exitCode = 1;
}

if (isMain(import.meta.url)) check();
