import type { Played } from './year.js';

/** What `npm run lab` prints and docs/reputation.md cites: one line a player. */
export function reportOf(played: readonly Played[]): string {
  const rows = played.map(({ player, endings: { v1, v2 }, spent }) => [
    player.name,
    v1.card.score ?? '–',
    v2.card.score ?? '–',
    v2.score90 ?? '–',
    String(v2.card.outcomes),
    String(v2.daysAhead),
    String(spent.accounts),
    spent.feesXlm.toFixed(5),
    spent.reserveXlm.toFixed(1),
    String(spent.capital),
    String(spent.days),
  ]);
  const head = [
    '',
    'v1',
    'v2',
    '90 days',
    'outcomes',
    'ahead',
    'accounts',
    'fees',
    'reserve',
    'capital',
    'days',
  ];
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0), title.length),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return `${[head, ...rows].map(line).join('\n')}\n`;
}

/** What each player does, one line each. */
export function legendOf(played: readonly Played[]): string {
  return played.map(({ player }) => `${player.name}: ${player.does}\n`).join('');
}
