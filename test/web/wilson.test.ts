import { describe, expect, it } from '@jest/globals';
import { placeOnScale, scaleStart, wilsonInterval } from '../../web/src/figures/wilson.js';

describe('the interval of a share', () => {
  it('begins at the W of the worked example of docs/reputation.md', () => {
    expect(wilsonInterval(401, 412)?.low).toBeCloseTo(0.9528298995, 9);
  });

  it('ends at 1 for 30 of 30, and begins where docs/reputation.md says', () => {
    expect(wilsonInterval(30, 30)).toEqual({
      low: expect.closeTo(30 / (30 + 1.959963984540054 ** 2), 9),
      high: expect.closeTo(1, 9),
    });
  });

  it('begins at 0 where nothing was filled', () => {
    expect(wilsonInterval(0, 12)?.low).toBeCloseTo(0, 12);
  });

  it('is none without outcomes', () => {
    expect(wilsonInterval(0, 0)).toBeNull();
  });
});

describe('the scale of marks', () => {
  it('begins as late as shows three quarters of the marks in full', () => {
    expect(scaleStart([0.97, 0.95, 0.92, 0.4])).toBe(0.9);
    expect(scaleStart([0.97, 0.95, 0.6, 0.4])).toBe(0.5);
    expect(scaleStart([0.2, 0.1])).toBe(0);
  });

  it('places a share between its ends, and what is below at its start', () => {
    expect(placeOnScale(0.75, 0.5)).toBe(50);
    expect(placeOnScale(0.2, 0.5)).toBe(0);
    expect(placeOnScale(1, 0.9)).toBe(100);
  });
});
