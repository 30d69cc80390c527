/** An address of a /8: 16 million of them. */
export function addressIn(network: number, number: number): string {
  return `${network}.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}
