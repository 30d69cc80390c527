import type { Deprecation } from '../../contract/deprecation.js';
import type { Operation } from './operations.js';

/** The least that docs/versioning.md promises. */
const minStayDays = 180;
const dayMs = 86_400_000;

/** What is wrong with the deprecations of a contract; the document is not written until there is nothing. */
export function deprecationFaults(operations: readonly Operation[]): string[] {
  return operations.flatMap(({ metadata: { operationId, deprecated } }) => {
    if (deprecated === undefined) return [];
    const faults = [...dayFaults(deprecated), ...successorFaults(deprecated, operations)];
    return faults.map((fault) => `${operationId}: ${fault}`);
  });
}

function dayFaults({ since, sunset }: Deprecation): string[] {
  const wrong = [since, sunset].filter((day) => !isDay(day));
  if (wrong.length > 0) return wrong.map((day) => `${day} is no day of the form 2027-01-31`);
  const days = (Date.parse(sunset) - Date.parse(since)) / dayMs;
  return days < minStayDays ? [`stays for ${days} days; ${minStayDays} are promised`] : [];
}

function isDay(text: string): boolean {
  const time = Date.parse(text);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  );
}

function successorFaults({ successor }: Deprecation, operations: readonly Operation[]): string[] {
  if (successor === undefined) return [];
  const found = operations.find(({ metadata }) => metadata.operationId === successor);
  if (found === undefined) return [`its successor ${successor} is no operation`];
  return found.metadata.deprecated === undefined ? [] : [`its successor ${successor} is deprecated, too`];
}

/** What the description of an operation begins with, if it is deprecated. */
export function describeDeprecation({ since, sunset, successor }: Deprecation): string {
  const instead = successor === undefined ? '' : `; use \`${successor}\` instead`;
  return `**Deprecated since ${since}**, and gone from ${sunset} at the earliest${instead}.`;
}
