import { callOutcome, type ObservedService } from '../../contract/schemas/observations.js';
import type { Call, Observation } from '../../server/features/observations/observation.rules.js';
import type { Random } from '../../server/ports.js';
import { marketRate } from '../simulated-anchors/pricing.js';
import { type AnchorDefinition, offered } from '../simulated-anchors/profiles.js';

/** What a round of the observer would have found at that time of an anchor that behaves as its profile says. */
export function pastObservation(
  { corridors, profile }: AnchorDefinition,
  at: number,
  random: Random,
): Observation {
  const { faults, outage, marginPercent, feePercent, feeFixed } = profile;
  const { sep38, sep24, sep6 } = offered[profile.protocol];
  const isOut = outage !== null && random() * outage.everySeconds < outage.forSeconds;

  function call(service: ObservedService, corridor: string | null = null): Call {
    const [low, high] = profile.latencyMs;
    const latencyMs = Math.round(low + random() * (high - low));
    const { hang, html, error500 } = isOut ? { hang: 0, html: 0, error500: 1 } : faults;
    const limits = { timeout: hang, not_json: hang + html, error: hang + html + error500 };
    const draw = service === 'sep1' ? 1 : random();
    const fault = Object.entries(limits).find(([, limit]) => draw < limit)?.[0];
    if (fault === undefined) return { service, corridor, outcome: 'answered', latencyMs };
    return { service, corridor, outcome: callOutcome.parse(fault), latencyMs: null };
  }

  const infos = { sep1: sep24, sep24, sep6, sep38 };
  const asked = (Object.keys(infos) as ObservedService[]).filter((service) => infos[service]);
  const prices = sep38 ? corridors.map(({ id }) => call('sep38', id)) : [];
  const seen = corridors.map(({ id }, place) => {
    // The reference amount is 100, so that a fixed fee is as many per cent.
    const cost = Number(marginPercent) + Number(feePercent) + Number(feeFixed) + (random() - 0.5) / 5;
    const market = marketRate((id.split('-')[1] ?? '').toUpperCase(), at);
    const tier = sep38 ? ('anchor' as const) : ('estimate' as const);
    const isPriced = !sep38 || prices[place]?.outcome === 'answered';
    const offer = isPriced
      ? { tier, rate: market.mul(1 - cost / 100).toFixed(4), costPercent: cost.toFixed(2) }
      : null;
    return { corridor: id, asked: sep38, offer, hasReference: true };
  });
  const calls = [...asked.map((service) => call(service)), ...prices];
  return { at: new Date(at), calls, made: calls.length, corridors: seen };
}
