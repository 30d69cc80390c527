import type { FindingCode, ObservedService } from '../../../contract/schemas/observations.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import { type Call, wordsOf } from './call.rules.js';
import { listedMethods } from './info.rules.js';
import type { Observation } from './observation.js';
import { deviationOf, type KnownPrice } from './price-level.rules.js';
import { type ServedCorridor, serverOf, termsOf } from './shown-terms.rules.js';
import { type ChangedTerm, judgeTerms, type KnownTerm, wordsOfChange } from './terms.rules.js';

/** Longer than this, and a request for rates would not have waited for it. */
const slowAfterMs = 2_000;

/** Something that was looked at: `detail` says what is wrong, null that nothing is. */
export interface Check {
  /** Names it among the checks of its anchor. */
  id: string;
  code: FindingCode;
  service: ObservedService;
  corridor: string | null;
  detail: string | null;
}

const unavailableCodes: Readonly<Record<ObservedService, FindingCode>> = {
  sep1: 'toml_unavailable',
  sep24: 'info_unavailable',
  sep6: 'info_unavailable',
  sep38: 'quotes_unavailable',
};

/** What an observation says is wrong and what it says is right; what it could not look at is in neither. */
export function assess(
  observation: Observation,
  known: readonly KnownTerm[],
  about: { corridors: readonly ServedCorridor[]; pricesOf: (corridor: string) => readonly KnownPrice[] },
): { checks: Check[]; terms: KnownTerm[] } {
  const { shown, looked } = termsOf(observation, about.corridors);
  const judged = judgeTerms(known, shown, looked, observation.atMs);
  const checks = [
    ...checksOfCalls(observation),
    ...checksOfKey(observation),
    ...checksOfMethods(observation, about.corridors),
    ...checksOfPrices(observation, about.pricesOf),
    ...checksOfTerms(judged),
  ];
  return { checks, terms: judged.terms };
}

function check(
  code: FindingCode,
  service: ObservedService,
  {
    corridor = null,
    subject = '',
    detail,
  }: { corridor?: string | null; subject?: string; detail: string | null },
): Check {
  return { id: [code, service, corridor ?? '', subject].join(' '), code, service, corridor, detail };
}

function checksOfCalls({ calls, notJson, endpoints }: Observation): Check[] {
  const services: ObservedService[] = ['sep1', 'sep24', 'sep6', 'sep38'];
  return services.flatMap((service) => {
    const own = calls.filter((call) => call.service === service);
    const offered = service === 'sep1' || endpoints[serverOf[service]] !== null;
    if (own.length === 0 && offered) return [];
    const failed = own.find(({ outcome }) => outcome !== 'answered' && outcome !== 'not_json');
    const slowest = Math.max(0, ...own.map(({ latencyMs }) => latencyMs ?? 0));
    return [
      check(unavailableCodes[service], service, { detail: failed === undefined ? null : wordsOf(failed) }),
      check('not_json', service, { detail: notJson.has(service) ? wordsOfPage(own) : null }),
      check('slow', service, { detail: slowest > slowAfterMs ? `${slowest} ms` : null }),
    ];
  });
}

function wordsOfPage(calls: readonly Call[]): string {
  const page = calls.find(({ outcome, status }) => outcome === 'not_json' || (status ?? 0) >= 500);
  return page === undefined ? 'not JSON' : wordsOf(page);
}

function checksOfKey({ tomlRead, otherKey }: Observation): Check[] {
  return tomlRead ? [check('key_changed', 'sep1', { detail: otherKey && `shows ${otherKey}` })] : [];
}

function checksOfMethods({ infos }: Observation, corridors: readonly ServedCorridor[]): Check[] {
  if (infos.sep38 === undefined) return [];
  return corridors.flatMap(({ id, buyAsset, deliveryMethods }) => {
    const listed = listedMethods(infos.sep38, buyAsset);
    return deliveryMethods.map((method) => {
      const dropped = listed !== undefined && findDeliveryMethod(listed, method) === undefined;
      return check('method_dropped', 'sep38', {
        corridor: id,
        subject: method,
        detail: dropped ? method : null,
      });
    });
  });
}

function checksOfPrices(
  { corridors }: Observation,
  pricesOf: (corridor: string) => readonly KnownPrice[],
): Check[] {
  return corridors.flatMap(({ corridor, offer, market }) => {
    if (offer === null || offer.tier === 'estimate') return [];
    const deviation = deviationOf(offer.rate, pricesOf(corridor), 'missing' in market ? null : market.rate);
    return deviation === undefined
      ? []
      : [check('price_off', 'sep38', { corridor, detail: deviation.words })];
  });
}

function checksOfTerms({
  changed,
  terms,
  judged,
}: {
  changed: ChangedTerm[];
  terms: KnownTerm[];
  judged: string[];
}) {
  const changes = new Map(changed.map((term) => [term.key, wordsOfChange(term)]));
  return terms
    .filter(({ key }) => judged.includes(key))
    .map(({ code, service, corridor, key }) =>
      check(code, service, { corridor, subject: key, detail: changes.get(key) ?? null }),
    );
}
