/** The offered method that is asked for, as the anchor spells it: `pix` finds `PIX`. Undefined if it is not offered. */
export function findDeliveryMethod(offered: readonly string[], asked: string): string | undefined {
  const lowered = asked.toLowerCase();
  return offered.find((method) => method === asked) ?? offered.find((each) => each.toLowerCase() === lowered);
}
