import { readFileSync } from 'node:fs';
import type { Logger } from '../ports.js';

/**
 * The descriptors that the process needs besides the connections of its clients: 50 connections to MongoDB and a few
 * that monitor it, outgoing calls, files, and those of the runtime.
 */
const ownDescriptors = 160;
const minConnections = 16;

/** How many files and sockets this process may have open at once. Undefined where the system does not say. */
export function readDescriptorLimit(file = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)\s/m.exec(readFileSync(file, 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    // Only Linux has this file.
    return undefined;
  }
}

/**
 * The maximum of all connections: the wanted number, or less if the limit of descriptors would leave too few for the
 * process itself. Without these it could reach neither its database nor an anchor while its port is full.
 */
export function fittingConnections(
  wanted: number,
  logger: Logger,
  descriptorLimit = readDescriptorLimit(),
): number {
  if (descriptorLimit === undefined) return wanted;
  const max = Math.min(wanted, Math.max(minConnections, descriptorLimit - ownDescriptors));
  if (max < wanted) {
    logger.warn(
      { descriptorLimit, maxConnections: max },
      `MAX_CONNECTIONS is lowered to ${max}: the process may open ${descriptorLimit} files, and needs ${ownDescriptors} itself`,
    );
  }
  return max;
}

/** The share of all connections that streams may take; the rest is reserved for requests. */
const shareOfStreams = { usual: 0.5, most: 0.9 };

/** The maximum of all streams: the wanted number, or less if too few connections would be left for requests. */
export function fittingStreams(wanted: number | undefined, maxConnections: number, logger: Logger): number {
  if (wanted === undefined) return Math.floor(maxConnections * shareOfStreams.usual);
  const max = Math.min(wanted, Math.floor(maxConnections * shareOfStreams.most));
  if (max < wanted) {
    logger.warn(
      { maxConnections, maxStreams: max },
      `MAX_STREAMS is lowered to ${max}: of ${maxConnections} connections a tenth is kept for requests`,
    );
  }
  return max;
}
