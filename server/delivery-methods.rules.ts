/** The offered method that is asked for, as the anchor spells it: `pix` finds `PIX`. Undefined if it is not offered. */
export function findDeliveryMethod(offered: readonly string[], asked: string): string | undefined {
  return offered.find((method) => method === asked) ?? offered.find((method) => sameText(method, asked));
}

function sameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
