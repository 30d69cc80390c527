import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from '@jest/globals';
import { goTool, pythonTools } from '../support/installed-tools.js';
import { itWhere, runsHere } from '../support/it-where.js';
import { runProgram } from '../support/run-program.js';
import { itWithToolchain } from '../support/toolchains.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const kustomize = await goTool(
  'kustomize',
  [new URL('kustomize/go.mod', import.meta.url), new URL('kustomize/go.sum', import.meta.url)],
  'sigs.k8s.io/kustomize/kustomize/v5',
);
const python = await pythonTools('deploy-tools', new URL('requirements.txt', import.meta.url));
const inPython = (program: string) => join(python ?? '', 'bin', program);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-deploy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

itWithToolchain(python !== undefined, 'no python3 or no PyPI: the Dockerfile by hadolint')(
  'hadolint finds nothing in the Dockerfile',
  async () => {
    const input = readFileSync(join(project, 'Dockerfile'), 'utf8');
    const linted = await runProgram(inPython('hadolint'), ['--no-color', '-'], { input });
    expect(linted).toEqual({ status: 0, stdout: '', stderr: '' });
  },
);

itWithToolchain(
  kustomize !== undefined && python !== undefined,
  'no go or no registry of its modules, or no python3 or no PyPI: the deployment on Kubernetes',
)('Kustomize renders the example, field by field what the schemas of Kubernetes have', async () => {
  const overlay = join(project, 'deploy/kubernetes/overlays/example');
  const { status, stdout, stderr } = await runProgram(kustomize ?? '', ['build', overlay]);
  expect([status, stderr]).toEqual([0, '']);
  const file = join(folder, 'manifests.yaml');
  writeFileSync(file, stdout);
  const report = await runProgram(inPython('kubernetes-validate'), ['--strict', file]);
  const lines = `${report.stdout}${report.stderr}`.split('\n').filter((line) => line !== '');
  const passed = lines.filter((line) => /^INFO .* passed for resource /.test(line));
  expect(passed).toHaveLength(stdout.match(/^kind: /gm)?.length ?? 0);
  expect(lines).toEqual(passed);
});

itWhere(runsHere('systemd-analyze', '--version'), 'no systemd-analyze: the unit of systemd')(
  'systemd knows every key of the unit, which leaves the service little to do on its machine',
  async () => {
    const unit = readFileSync(join(project, 'deploy/systemd/fairlead.service'), 'utf8')
      // The path of Node on the machine that runs the tests.
      .replaceAll('/usr/bin/node', process.execPath);
    const file = join(folder, 'fairlead.service');
    writeFileSync(file, unit);
    const analyze = (...args: string[]) => runProgram('systemd-analyze', [...args, file]);
    expect(await analyze('verify', '--man=no')).toEqual({ status: 0, stdout: '', stderr: '' });
    // 0 means that it may do nothing, 100 everything.
    const security = await analyze('security', '--offline=true', '--threshold=20', '--no-pager');
    expect(security.status).toBe(0);
    // DRAIN_SECONDS in production plus thirty (docs/operations/deploy.md); a migration takes as long as it takes.
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(10 + 30);
    expect(unit).toMatch(/^TimeoutStartSec=infinity$/m);
    expect(unit).toMatch(/^ExecStartPre=\S+ dist\/server\/cli\.js migrate$/m);
  },
);
