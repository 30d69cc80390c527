import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createTools } from '../../mcp/tools.js';
import { publisherFixture } from '../fixtures/publisher/publisher-over-http.js';
import { runProgram } from '../support/run-program.js';
import { call, connect } from './host.js';

const workspace = fileURLToPath(new URL('../../mcp/', import.meta.url));
const readme = readFileSync(join(workspace, 'README.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'fairlead-mcp-'));
const fixture = await publisherFixture();
/** The environment without the variables that npm sets for its scripts. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));

/** The only block of the README that begins with this text. */
function block(start: string): string {
  const found = [...readme.matchAll(/^```(?:\w*)\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const [only, ...others] = found.filter((text) => text.startsWith(start));
  if (only === undefined || others.length > 0) throw new Error(`not one block begins with ${start}`);
  return only;
}

/** A command of the README, with this service and this tarball in place of the published ones. */
function here(args: readonly string[], publicKey = ''): string[] {
  return args.flatMap((arg) => {
    if (arg === 'fairlead-mcp') return ['--package', tarball, arg];
    if (arg === 'https://fairlead.example') return [fixture.app.url];
    return [/^G.*…$/.test(arg) ? publicKey : arg];
  });
}

const packed = await runProgram('npm', ['pack', '--pack-destination', folder], { cwd: workspace, env });
if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stdout}${packed.stderr}`);
const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
const batch = await fixture.publish();
const { mcpServers } = JSON.parse(block('{\n  "mcpServers"'));
const { command, args } = mcpServers.fairlead as { command: string; args: string[] };
const packedCommand = { program: command, args: here(args, batch.publicKey), cwd: folder };
const host = await connect({ command: packedCommand, args: [] });
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the packed fairlead-mcp, in an empty folder', () => {
  it('is the program, its licences and its README, and nothing else', async () => {
    const { stdout } = await runProgram('tar', ['-tzf', tarball]);
    const files = ['LICENSE', 'README.md', 'dist/LICENSES.txt', 'dist/fairlead-mcp.js', 'package.json'];
    expect(stdout.trim().split('\n').sort()).toEqual(files.map((file) => `package/${file}`));
  });

  it('runs as the README configures a host, and verifies a score under the key given there', async () => {
    const { tools } = await host.client.listTools();
    const options = { url: fixture.app.url, timeoutMs: 1, keys: [], intents: false };
    const expected = createTools({ ...options, adminKey: undefined, accountSecret: undefined });
    expect(tools.map(({ name }) => name)).toEqual(expected.map(({ definition }) => definition.name));
    const score = await call(host, 'verify_score', { anchor: 'harbour', corridor: 'usdc-ngn' });
    expect(score.trust.keys).toBe('given');
  });
});
