import { expect } from '@jest/globals';

type Matchers = ReturnType<typeof expect<unknown>>;

/** `expect(value)` for tests that check many values in a loop: a failure message begins with the name of the value. */
export function expectFor(name: string, value: unknown): Matchers {
  return naming(name, expect(value));
}

function naming<T extends object>(name: string, matchers: T): T {
  return new Proxy(matchers, {
    get(target, property, receiver) {
      const member: unknown = Reflect.get(target, property, receiver);
      if (typeof member === 'object' && member !== null) return naming(name, member);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        try {
          const result: unknown = Reflect.apply(member, target, given);
          return result instanceof Promise ? result.catch((error: unknown) => fail(name, error)) : result;
        } catch (error) {
          fail(name, error);
        }
      };
    },
  });
}

function fail(name: string, error: unknown): never {
  if (error instanceof Error) error.message = `${name}\n\n${error.message}`;
  throw error;
}
