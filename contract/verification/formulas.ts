/** The score formulas that this release can judge (docs/reputation.md). A published formula is never changed. */
export const formulas = ['v1'] as const;

/** The formula of every score that this release makes. */
export const [formula] = formulas;

type Formula = (typeof formulas)[number];

export function isKnownFormula(name: unknown): name is Formula {
  return formulas.some((known) => known === name);
}

/** The formula that an entry names. */
export function formulaOfEntry(entry: object): unknown {
  return 'formula' in entry ? entry.formula : undefined;
}
