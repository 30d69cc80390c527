/**
 * `node --import …/shifted-clock.mjs program` runs a program on a machine whose clock is wrong by SHIFT_CLOCK_MS. Monotonic
 * time is left alone, as on a real machine.
 */
const RealDate = globalThis.Date;
const shiftMs = Number(process.env.SHIFT_CLOCK_MS ?? 0);
const now = () => RealDate.now() + shiftMs;

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }

  static now = now;
}
// mongoose knows the type of a field by the name of its class.
Object.defineProperty(ShiftedDate, 'name', { value: 'Date' });
globalThis.Date = ShiftedDate;
