/**
 * Writes the reports of the public types of @fairlead/contract, contract/api/*.api.md, one per entry. `--check` writes
 * nothing, and ends with 1 where a committed report differs from what the sources say.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reportsOf } from './api-report/reports.js';

const folder = fileURLToPath(new URL('../contract/', import.meta.url));
const checks = process.argv.includes('--check');
const reports = reportsOf(folder);
mkdirSync(join(folder, 'api'), { recursive: true });
for (const [name, text] of reports) {
  const file = join(folder, 'api', name);
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (!checks) writeFileSync(file, text);
  else if (text !== committed) {
    console.error(`contract/api/${name} differs from the sources: npm run api, and review the difference`);
    process.exitCode = 1;
  }
}
if (checks && process.exitCode !== 1)
  console.log('contract/api/ agrees with the public types of the contract');
