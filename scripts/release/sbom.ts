/**
 * `npm run --silent sbom` prints the bill of materials of the service as CycloneDX; `-- @fairlead/contract` and
 * `-- fairlead-mcp` those of the packages. That of the service holds what the web page was built from.
 * `npm sbom --omit dev` leaves out more than packages of development: everything that one of them uses, too. So npm
 * lists all, and what does not run is taken out here.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Component {
  'bom-ref': string;
  name: string;
  properties?: { name: string; value: string }[];
}

interface Bill {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 64 << 20 });

function listed(...args: string[]): Bill {
  return JSON.parse(run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', ...args)) as Bill;
}

const isOfDevelopment = ({ properties = [] }: Component) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

/** The bill with these components only. */
function withOnly(bill: Bill, isKept: (component: Component) => boolean): Bill {
  const left = new Set(
    bill.components.filter((component) => !isKept(component)).map((component) => component['bom-ref']),
  );
  return {
    ...bill,
    components: bill.components.filter((component) => !left.has(component['bom-ref'])),
    dependencies: bill.dependencies
      .filter(({ ref }) => !left.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => !left.has(other)) })),
  };
}

/** The bill of a package of a workspace. npm names the service as its subject. */
function about(bill: Bill, name: string): Bill {
  const subject = bill.components.find((component) => component['bom-ref'].startsWith(`${name}@`));
  if (subject === undefined) throw new Error(`there is no package ${name}`);
  const root = bill.metadata.component['bom-ref'];
  const rest = withOnly(bill, (component) => component !== subject);
  return {
    ...rest,
    metadata: { ...bill.metadata, component: subject },
    dependencies: [
      ...rest.dependencies.filter(({ ref }) => ref !== root),
      ...bill.dependencies.filter(({ ref }) => ref === subject['bom-ref']),
    ],
  };
}

/** The bill of a single bundled file: npm calls the packages that it contains development packages. */
function billOfMcp(): Bill {
  const bundled = JSON.parse(run('node', 'mcp/build.mjs', '--list')) as string[];
  const name = 'fairlead-mcp';
  const kept = withOnly(
    listed(),
    (component) => bundled.includes(component['bom-ref']) || component['bom-ref'].startsWith(`${name}@`),
  );
  const bill = about(kept, name);
  const { 'bom-ref': ref } = bill.metadata.component;
  return {
    ...asShipped(bill, bundled),
    dependencies: [...bill.dependencies.filter((one) => one.ref !== ref), { ref, dependsOn: bundled }],
  };
}

/** Removes the mark of development packages from a bill. Throws unless it lists everything that is bundled. */
function asShipped(bill: Bill, bundled: readonly string[]): Bill {
  const found = new Set(bill.components.map((component) => component['bom-ref']));
  const missing = bundled.filter((one) => !found.has(one));
  if (missing.length > 0) throw new Error(`npm does not list ${missing.join(', ')}`);
  return {
    ...bill,
    components: bill.components.map(({ properties = [], ...component }) => ({
      ...component,
      properties: properties.filter(({ name: property }) => property !== 'cdx:npm:package:development'),
    })),
  };
}

/** What runs on the server, and what the web page was built from and sends to browsers. */
function billOfService(): Bill {
  const bundled = packagesOfPage();
  const isShipped = (component: Component) =>
    !isOfDevelopment(component) || bundled.includes(component['bom-ref']);
  return asShipped(withOnly(listed(), isShipped), bundled);
}

/** The packages that Vite found in the files that it wrote. */
function packagesOfPage(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-sbom-'));
  try {
    run('npm', 'run', 'build', '-w', 'web', '--', '--outDir', folder, '--emptyOutDir', '--logLevel', 'warn');
    const licences = JSON.parse(readFileSync(join(folder, 'licenses.json'), 'utf8')) as {
      name: string;
      version: string;
    }[];
    return licences.map(({ name, version }) => `${name}@${version}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function billOf(name: string | undefined): Bill {
  if (name === 'fairlead-mcp') return billOfMcp();
  if (name === undefined) return billOfService();
  return about(
    withOnly(listed('--workspace', name), (component) => !isOfDevelopment(component)),
    name,
  );
}

/** npm names the subject after its folder. */
function withName(bill: Bill): Bill {
  const { component } = bill.metadata;
  const name = component['bom-ref'].slice(0, component['bom-ref'].lastIndexOf('@'));
  return { ...bill, metadata: { ...bill.metadata, component: { ...component, name } } };
}

process.stdout.write(`${JSON.stringify(withName(billOf(process.argv[2])), null, 2)}\n`);
