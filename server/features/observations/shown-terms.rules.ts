import type { ObservedService } from '../../../contract/schemas/observations.js';
import type { AnchorEndpoints } from '../anchors/sep1.rules.js';
import { offersWithdrawal, sep6Methods } from './info.rules.js';
import type { Observation, PublishedFee } from './observation.js';
import type { Term } from './terms.rules.js';

/** A corridor that the anchor serves, as the fleet file describes it. */
export interface ServedCorridor {
  id: string;
  sellCode: string;
  buyAsset: string;
  deliveryMethods: readonly string[];
}

export const serverOf = {
  sep24: 'transferServerSep24',
  sep6: 'transferServerSep6',
  sep38: 'quoteServer',
} as const;

/** Whether the anchor names a server for the service; its stellar.toml is always looked for. */
export function isOffered(service: ObservedService, endpoints: AnchorEndpoints): boolean {
  return service === 'sep1' || endpoints[serverOf[service]] !== null;
}

/** The terms that an observation contains, and the keys, or their first words, of all terms that it would have contained. */
export function termsOf(
  { tomlRead, otherKey, endpoints, infos, corridors, calls }: Observation,
  served: readonly ServedCorridor[],
): { observedTerms: Term[]; checkedKeyPrefixes: string[] } {
  const observedTerms: Term[] = [];
  const checkedKeyPrefixes: string[] = [];
  if (tomlRead && otherKey === null) {
    checkedKeyPrefixes.push('server');
    observedTerms.push(...serversOf(endpoints));
  }
  const codes = [...new Set(served.map(({ sellCode }) => sellCode))];
  for (const service of ['sep24', 'sep6'] as const) {
    if (infos[service] === undefined) continue;
    for (const code of codes) {
      checkedKeyPrefixes.push(`withdrawal ${service} ${code}`, `method ${service} ${code}`);
      observedTerms.push(...withdrawalTerms(infos[service], service, code));
    }
  }
  for (const { corridor, fee, offer } of corridors) {
    if (fee !== null) observedTerms.push(feeTerm(corridor, fee));
    const readFirst = (['sep24', 'sep6'] as const).filter((service) => infos[service] !== undefined);
    const found = fee === null ? readFirst.length : readFirst.indexOf(fee.source);
    checkedKeyPrefixes.push(...readFirst.slice(0, found).map((service) => `fee ${service} ${corridor}`));
    const answered = calls.some((call) => call.corridor === corridor && call.outcome === 'answered');
    if (answered) checkedKeyPrefixes.push(`price ${corridor}`);
    if (offer?.tier === 'anchor')
      observedTerms.push(
        term('quotes_unavailable', 'sep38', {
          key: `price ${corridor}`,
          corridor,
          kind: 'offered',
          value: 'yes',
        }),
      );
    if (offer?.tier === 'anchor' && offer.feePercent !== null)
      observedTerms.push(
        term('fee_changed', 'sep38', {
          key: `share ${corridor}`,
          corridor,
          kind: 'share',
          value: offer.feePercent,
        }),
      );
  }
  return { observedTerms, checkedKeyPrefixes };
}

function serversOf(endpoints: AnchorEndpoints): Term[] {
  return Object.entries(serverOf).flatMap(([service, address]) =>
    endpoints[address] === null
      ? []
      : [term('service_dropped', 'sep1', { key: `server ${service}`, kind: 'offered', value: 'yes' })],
  );
}

function withdrawalTerms(info: unknown, service: 'sep24' | 'sep6', code: string): Term[] {
  if (!offersWithdrawal(info, code)) return [];
  const methods = service === 'sep6' ? sep6Methods(info, code) : [];
  return [
    term('withdrawal_dropped', service, {
      key: `withdrawal ${service} ${code}`,
      kind: 'offered',
      value: 'yes',
    }),
    ...methods.map((method) =>
      term('method_dropped', service, {
        key: `method ${service} ${code} ${method}`,
        kind: 'offered',
        value: 'yes',
      }),
    ),
  ];
}

function feeTerm(corridor: string, fee: PublishedFee): Term {
  const { source, feeFixed, feePercent, feeMinimum } = fee;
  const least = feeMinimum === '0' ? '' : `, at least ${feeMinimum}`;
  return term('fee_changed', source, {
    key: `fee ${source} ${corridor}`,
    kind: 'fee',
    corridor,
    value: `${feeFixed} + ${feePercent} %${least}`,
  });
}

function term(
  code: Term['code'],
  service: ObservedService,
  rest: Pick<Term, 'key' | 'kind' | 'value'> & { corridor?: string },
): Term {
  return { code, service, corridor: null, ...rest };
}
