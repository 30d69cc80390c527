import { keepChoice, keptChoice } from '../../data/kept-choice.js';

const storedUnder = 'fairlead-offramps';
const most = 20;

/**
 * The hashes that the reader stored on this device, the latest first. A hash gives anyone who knows it access to account and
 * amounts, so none is stored unasked.
 */
export function rememberedOfframps(): string[] {
  const stored = keptChoice(storedUnder) ?? '';
  return stored.split(' ').filter((each) => /^[0-9a-f]{64}$/.test(each));
}

export function rememberOfframp(intentHash: string): void {
  keep([intentHash, ...rememberedOfframps().filter((each) => each !== intentHash)].slice(0, most));
}

export function forgetOfframp(intentHash: string): void {
  keep(rememberedOfframps().filter((each) => each !== intentHash));
}

function keep(hashes: string[]): void {
  keepChoice(storedUnder, hashes.join(' '));
}
