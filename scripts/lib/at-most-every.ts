/** Calls `act` at most once per `ms`, at once the first time; calls in between are ignored. */
export function atMostEvery<A extends unknown[]>(
  ms: number,
  clock: () => number,
  act: (...args: A) => void,
): (...args: A) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const now = clock();
    if (now - last < ms) return;
    last = now;
    act(...args);
  };
}
