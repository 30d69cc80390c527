/** `usdc-ngn` sells USDC and pays NGN; `usdc-xof-sn` names the country besides. */
export function codesOf(corridor: string): { sold: string; paid: string } {
  const [sold = '', paid = ''] = corridor.toUpperCase().split('-');
  return { sold, paid };
}
