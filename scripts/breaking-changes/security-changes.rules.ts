import type { Both, Break } from './breaks.rules.js';
import type { OpenApi, Operation, SecurityRequirement } from './document-parts.rules.js';
import type { Direction } from './faults.rules.js';

/** What a change breaks of the credentials that clients send, or that the service sends to receivers of a webhook. */
export function securityBreaks(
  operation: Both<Pick<Operation, 'security'>>,
  documents: Both<OpenApi>,
  direction: Direction,
): Break[] {
  const old = alternatives(operation.old);
  const now = alternatives(operation.now);
  // A caller that satisfied one alternative has to satisfy one now; a receiver that checked one has to find one.
  const [from, to] = direction === 'request' ? [old, now] : [now, old];
  const unmet = from.filter((one) => !to.some((other) => asksNoMore(other, one)));
  const place = 'security';
  return [
    ...unmet.map((one) => ({
      place,
      sentence:
        direction === 'request'
          ? `${nameOf(one)} is no longer enough`
          : `${nameOf(one)} may be all that comes now`,
    })),
    ...changedSchemes(old, documents).map((name) => ({
      place,
      sentence: `the credential ${name} is another one now`,
    })),
  ];
}

function alternatives({ security = [] }: Pick<Operation, 'security'>): SecurityRequirement[] {
  return security.length === 0 ? [{}] : security;
}

function asksNoMore(now: SecurityRequirement, old: SecurityRequirement): boolean {
  return Object.entries(now).every(([scheme, scopes]) => {
    const had = old[scheme];
    return had !== undefined && scopes.every((scope) => had.includes(scope));
  });
}

function nameOf(requirement: SecurityRequirement): string {
  const parts = Object.entries(requirement).map(([scheme, scopes]) => [scheme, ...scopes].join(' '));
  return parts.length === 0 ? 'no credential' : parts.join(' with ');
}

/** Schemes in use with changes other than in their description. */
function changedSchemes(used: readonly SecurityRequirement[], { old, now }: Both<OpenApi>): string[] {
  const names = [...new Set(used.flatMap((one) => Object.keys(one)))];
  return names.filter((name) => {
    const [before, after] = [old, now].map(({ components }) => facts(components?.securitySchemes?.[name]));
    return after !== undefined && before !== after;
  });
}

function facts(scheme: object | undefined): string | undefined {
  if (scheme === undefined) return undefined;
  const entries = Object.entries(scheme).filter(([key]) => key !== 'description');
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
