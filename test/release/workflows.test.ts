import { readdirSync, readFileSync } from 'node:fs';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, it } from '@jest/globals';

const folder = new URL('../../.github/workflows/', import.meta.url);
const names = readdirSync(folder);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');

/** What the parser of GitHub's own editors says of a workflow. */
async function faultsOf(content: string): Promise<string[]> {
  const name = 'workflow.yml';
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const template = value === undefined ? undefined : await convertWorkflowTemplate(context, value);
  return [
    ...context.errors.getErrors().map(({ message }) => message),
    ...(template?.errors ?? []).map(({ Message }) => Message),
  ];
}

describe('a workflow of this repository', () => {
  it.each(names)('%s is one that GitHub accepts', async (name) => {
    expect(await faultsOf(read(name))).toEqual([]);
  });

  it.each([
    ['waits for a job that does not exist', 'needs: check\n', 'needs: chekc\n'],
    ['has a key that means nothing', 'runs-on:', 'runs-in:'],
    ['reads a context that does not exist', 'github.actor', 'githb.actor'],
    ['asks for a permission in a way that does not exist', 'id-token: write', 'id-token: wrote'],
  ])('is refused by this test where it %s', async (_what, right, wrong) => {
    const release = read('release.yml');
    expect(release).toContain(right);
    expect(await faultsOf(release.replace(right, wrong))).not.toEqual([]);
  });
});
