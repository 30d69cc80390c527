import type { CorridorObservations } from '@fairlead/contract/client';
import type { TextKey, Translate } from '../../i18n/translate.js';

type Reason = NonNullable<CorridorObservations['availabilityUnavailable']>;

const texts: Record<string, TextKey> = {
  not_observed: 'anchors.whyNotObserved',
  too_few_observations: 'anchors.whyTooFew',
  no_price: 'anchors.whyNoPrice',
  no_reference: 'anchors.whyNoReference',
} satisfies Record<Reason, TextKey>;

/** Why a figure of the observer is not there. A newer service may have reasons that this page does not know. */
export function whyUnavailable(reason: Reason | null, t: Translate): string {
  if (reason === null) return '';
  const key = texts[reason];
  return key === undefined ? reason : t(key);
}
