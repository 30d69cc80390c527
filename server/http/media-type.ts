import Negotiator from 'negotiator';

/** The form that an Accept header asks for, among JSON and these. JSON where it asks for nothing that there is. */
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
