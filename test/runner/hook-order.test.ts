import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const calls: string[] = [];

/** Registers two hooks, as each fixture does. */
function opened(name: string) {
  beforeAll(() => void calls.push(`open ${name}`));
  afterAll(() => void calls.push(`close ${name}`));
}

describe('hooks of a file', () => {
  opened('database');
  opened('service');
  it('open what is given first before what is given later', () => {
    expect(calls).toEqual(['open database', 'open service']);
  });
});

it('close what was given last first, so that no service outlives its database', () => {
  expect(calls.slice(2)).toEqual(['close service', 'close database']);
});
