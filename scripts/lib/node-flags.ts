/** The flags of Node that docs/operations.md names for production. */
export const productionFlags = [
  '--max-semi-space-size=4',
  '--no-parallel-scavenge',
  '--heap-growing-percent=40',
] as const;
