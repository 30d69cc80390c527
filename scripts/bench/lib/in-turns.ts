/**
 * Measures each alternative once a round, the order moving on by one every round, so that what else the machine does
 * falls on all alike. Results by alternative, one a round: take their median.
 */
export async function inTurns<Name extends string, Result>(
  rounds: number,
  alternatives: Record<Name, (round: number) => Promise<Result>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(alternatives) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(place + round) % names.length];
      if (name !== undefined) results[name].push(await alternatives[name](round));
    }
  }
  return results;
}
