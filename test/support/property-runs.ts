/**
 * How many random cases a property is tried on: all of them in `npm run test:all`, and a tenth in `npm test`, which a
 * developer waits for.
 */
export function propertyRuns(count: number): number {
  return process.env.FAIRLEAD_TESTS === 'all' ? count : Math.ceil(count / 10);
}
