import { jest } from '@jest/globals';

const date = Date.now;

/** Does the work with the machine's clock ahead, which libraries read by themselves. */
export async function later<T>(byMs: number, work: () => Promise<T>): Promise<T> {
  const spy = jest.spyOn(Date, 'now').mockImplementation(() => date() + byMs);
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}
