/** The items by their key; if several have the same key, the first. */
export function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> {
  const found = new Map<string, Item>();
  for (const item of items) if (!found.has(keyOf(item))) found.set(keyOf(item), item);
  return found;
}

/** The keys that occur more than once; items without a key are ignored. */
export function doubled<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): string[] {
  const counts = new Map<string, number>();
  for (const key of items.flatMap((item) => keyOf(item) ?? [])) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
}
