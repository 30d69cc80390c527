/** What needs the cryptography of the contract package; the page loads it apart from itself. */
export type Checks = typeof import('./check-score.js');
