import Negotiator from 'negotiator';

/** The media type that an Accept header prefers, of JSON and `others`; JSON if it accepts none of them. */
export function mediaTypeFor<Other extends string>(
  accept: string | undefined,
  others: readonly Other[],
): Other | 'application/json' {
  if (accept === undefined) return 'application/json';
  const [type = 'application/json'] = new Negotiator({ headers: { accept } }).mediaTypes([
    'application/json',
    ...others,
  ]);
  return type as Other | 'application/json';
}
