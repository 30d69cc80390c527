import type { CorridorObservations } from '@fairlead/contract/client';
import type { TextKey } from '../../i18n/translate.js';

type Reason = NonNullable<CorridorObservations['availabilityUnavailable']>;

/** Why a figure of the observer is not there. */
export const unavailableTexts: Record<Reason, TextKey> = {
  not_observed: 'anchors.whyNotObserved',
  too_few_observations: 'anchors.whyTooFew',
  no_price: 'anchors.whyNoPrice',
  no_reference: 'anchors.whyNoReference',
  too_few_payouts: 'anchors.whyTooFewPayouts',
};
