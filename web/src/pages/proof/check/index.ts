/** What needs the cryptography of the contract package; the page loads it apart from itself. */
export { type CheckedBatch, checkChain, createChainCheck } from './check-chain.js';
export { checkScore, readKey } from './check-score.js';
