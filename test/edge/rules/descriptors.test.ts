import { describe, expect, it } from '@jest/globals';
import { fittingConnections, readDescriptorLimit } from '../../../server/http/descriptors.js';
import { itWhere } from '../../support/it-where.js';
import { silentLogger } from '../../support/silent-logger.js';

const itOnLinux = itWhere(process.platform === 'linux', 'not Linux: the limit of descriptors');

function fitted(wanted: number, descriptorLimit: number) {
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (_fields: object, message: string) => warnings.push(message) };
  return { max: fittingConnections(wanted, logger, descriptorLimit), warnings };
}

describe('the bound of all connections', () => {
  it.each([
    [1_000, 20_000, 1_000],
    [1_000, 1_160, 1_000],
    [1_000, 1_024, 864],
    [1_000, 256, 96],
    [1_000, 64, 16],
    [10, 64, 10],
  ])('of %i is, with %i descriptors, %i', (wanted, descriptors, max) => {
    const result = fitted(wanted, descriptors);
    expect(result.max).toBe(max);
    expect(result.warnings).toHaveLength(max < wanted ? 1 : 0);
  });
});

describe('readDescriptorLimit', () => {
  itOnLinux('reads the limit of this process', () => {
    expect(readDescriptorLimit()).toBeGreaterThan(0);
  });

  it('knows none where the system has no such file', () => {
    expect(readDescriptorLimit('/nowhere/limits')).toBeUndefined();
  });
});
