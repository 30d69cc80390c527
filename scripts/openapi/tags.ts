/** What each group of operations is about, in the order in which a newcomer meets them. */
const descriptions = {
  rates:
    'What the anchors of a corridor pay out for an amount, ranked, and the best offer of every corridor.',
  corridors: 'The routes from a stablecoin to a currency that can be asked for.',
  anchors: 'Who pays out: where each anchor publishes its endpoints and how a wallet starts there.',
  intents: 'An intent to convert and be paid out: it is filed, followed and its outcome recorded.',
  reputation: 'How well each anchor keeps its promises: its record, its score and its rank.',
  scores: 'The scores of all anchors in one versioned list, each bound to a published batch.',
  disputes: 'Objections to a recorded outcome, signed by a party to it.',
  publisher: 'The signed, append-only log of the scores, with proofs that anyone can check.',
  webhooks: 'Who is told of events, and what became of each delivery.',
  admin: "The operator's own: everything here needs the admin key.",
  internal: 'Runs that a scheduler starts: everything here needs the cron bearer.',
} as const satisfies Record<string, string>;

/** The tags in use, described; throws on one that has no description yet. */
export function tagsOf(used: ReadonlySet<string>): { name: string; description: string }[] {
  const described: [string, string][] = Object.entries(descriptions);
  const unknown = [...used].filter((name) => !described.some(([known]) => known === name));
  if (unknown.length > 0)
    throw new Error(`describe the tag ${unknown.join(', ')} in scripts/openapi/tags.ts`);
  return described.flatMap(([name, description]) => (used.has(name) ? [{ name, description }] : []));
}
