/** The flags of Node that docs/operations/deploy.md names for production. */
export const productionFlags = [
  '--max-semi-space-size=4',
  '--heap-growing-percent=40',
  '--no-allocation-site-pretenuring',
] as const;
