/**
 * The number of random cases for a property: all of them in `npm run test:all`, and a tenth in `npm test`, which developers
 * wait for.
 */
export function propertyRuns(count: number): number {
  return process.env.FAIRLEAD_TESTS === 'all' ? count : Math.ceil(count / 10);
}
