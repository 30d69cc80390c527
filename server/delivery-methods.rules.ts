/** The offered method that is asked for, as the anchor spells it: `pix` finds `PIX`. Undefined if it is not offered. */
export function findDeliveryMethod(offered: readonly string[], asked: string): string | undefined {
  return offered.find((method) => method === asked) ?? offered.find((method) => sameText(method, asked));
}

/** Whether money that is paid out by this method waits to be collected, as its name says: `cash`, `CASH_PICKUP`. */
export function isCollected(method: string): boolean {
  return /cash|pick.?up/i.test(method);
}

function sameText(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
