/** Something a person can put right; its message is all they need to see. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}
