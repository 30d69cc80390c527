/**
 * `npm run --silent sbom` prints the bill of materials of the service as CycloneDX; `-- --workspace contract` that of the
 * package. `npm sbom --omit dev` leaves out more than packages of development: everything that one of them uses, too.
 * So it lists all, and those that only development uses, which it marks, are taken out here.
 */
import { execFileSync } from 'node:child_process';

interface Component {
  'bom-ref': string;
  properties?: { name: string; value: string }[];
}

interface Bill {
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...process.argv.slice(2)];
const bill = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 64 << 20 })) as Bill;

const isOfDevelopment = ({ properties = [] }: Component) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
const left = new Set(bill.components.filter(isOfDevelopment).map((component) => component['bom-ref']));
const kept = {
  ...bill,
  components: bill.components.filter((component) => !left.has(component['bom-ref'])),
  dependencies: bill.dependencies
    .filter(({ ref }) => !left.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) })),
};
process.stdout.write(`${JSON.stringify(kept, null, 2)}\n`);
