import type { FindingCode, ObservedService } from '../../../contract/schemas/observations.js';
import { findDeliveryMethod } from '../../delivery-methods.rules.js';
import { type Call, describeCall } from './call.rules.js';
import { listedMethods } from './info.rules.js';
import type { Observation } from './observation.js';
import { deviationOf, type KnownPrice } from './price-level.rules.js';
import { isOffered, type ServedCorridor, termsOf } from './shown-terms.rules.js';
import { type ChangedTerm, describeChange, judgeTerms, type KnownTerm } from './terms.rules.js';

/** Same as the timeout of a quote request: a slower answer would not have reached the ranking. */
const slowAfterMs = 2_000;

/** The result of one check: `detail` describes the problem, null means that there is none. */
export interface Check {
  /** Unique among the checks of an anchor. */
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

/** The checks that this observation allows, passed or failed; what it could not check is left out. */
export function assess(
  observation: Observation,
  known: readonly KnownTerm[],
  about: { corridors: readonly ServedCorridor[]; pricesOf: (corridor: string) => readonly KnownPrice[] },
): { checks: Check[]; terms: KnownTerm[] } {
  const { observedTerms, checkedKeyPrefixes } = termsOf(observation, about.corridors);
  const judged = judgeTerms(known, observedTerms, checkedKeyPrefixes, observation.atMs);
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
    if (own.length === 0 && isOffered(service, endpoints)) return [];
    const failed = own.find(({ outcome }) => outcome !== 'answered' && outcome !== 'not_json');
    const slowest = Math.max(0, ...own.map(({ latencyMs }) => latencyMs ?? 0));
    return [
      check(unavailableCodes[service], service, {
        detail: failed === undefined ? null : describeCall(failed),
      }),
      check('not_json', service, { detail: notJson.has(service) ? describeNonJsonAnswer(own) : null }),
      check('slow', service, { detail: slowest > slowAfterMs ? `${slowest} ms` : null }),
    ];
  });
}

function describeNonJsonAnswer(calls: readonly Call[]): string {
  const page = calls.find(({ outcome, status }) => outcome === 'not_json' || (status ?? 0) >= 500);
  return page === undefined ? 'not JSON' : describeCall(page);
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
  const changes = new Map(changed.map((term) => [term.key, describeChange(term)]));
  return terms
    .filter(({ key }) => judged.includes(key))
    .map(({ code, service, corridor, key }) =>
      check(code, service, { corridor, subject: key, detail: changes.get(key) ?? null }),
    );
}
