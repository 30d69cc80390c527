/** Imported before anything else, it sets the clock of this whole process off by CLOCK_OFFSET_MS, libraries included. */
const offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? '0');
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...parts: ConstructorParameters<DateConstructor> | []) {
    if (parts.length === 0) super(RealDate.now() + offsetMs);
    else super(...(parts as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

// mongoose knows a schema type by the name of its constructor.
Object.defineProperty(ShiftedDate, 'name', { value: 'Date' });

if (offsetMs !== 0) globalThis.Date = ShiftedDate as DateConstructor;
