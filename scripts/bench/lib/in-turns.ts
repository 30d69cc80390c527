/**
 * Measures each alternative once per round, the order moving on by one every round, so that other load on the machine
 * affects all alike. Results by alternative, one per round: take their median.
 */
export async function inTurns<Name extends string, Result>(
  rounds: number,
  alternatives: Record<Name, (round: number) => Promise<Result>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(alternatives) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const [place] of names.entries()) {
      const name = names[(place + round) % names.length];
      if (name !== undefined) results[name].push(await alternatives[name](round));
    }
  }
  return results;
}

/** The same for a list of lines. Returns the lines with their results. */
export async function linesInTurns<Result, Line>(
  rounds: number,
  lines: readonly (Line & { measure: () => Promise<Result> })[],
): Promise<(Line & { results: Result[] })[]> {
  const results = await inTurns(
    rounds,
    Object.fromEntries(lines.map(({ measure }, place) => [place, measure])),
  );
  return lines.map((line, place) => ({ ...line, results: results[place] ?? [] }));
}
