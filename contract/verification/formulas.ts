/** The score formulas that this release can judge (docs/reputation.md). A published formula is never changed. */
export const formulas = ['v1', 'v2'] as const;

export type Formula = (typeof formulas)[number];

export function isKnownFormula(name: unknown): name is Formula {
  return formulas.some((known) => known === name);
}

/** The formula that an entry follows. Entries of v1 name none: they were published before there was a second one. */
export function formulaOfEntry(entry: object): unknown {
  return 'formula' in entry ? entry.formula : 'v1';
}
