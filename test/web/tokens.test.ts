import { readFileSync } from 'node:fs';
import { describe, it } from '@jest/globals';
import { expectFor } from '../support/expect-for.js';

const css = readFileSync(new URL('../../web/src/styles/tokens.css', import.meta.url), 'utf8');
const colours = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }],
  ),
);

/** The relative luminance of `#rrggbb`, as WCAG 2.2 defines it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe('the border of controls', () => {
  const border = colours.get('line-strong');

  it.each(['paper', 'surface', 'raised', 'sunken'])(
    'is told from %s by a contrast of 3 to 1 (WCAG 2.2, 1.4.11)',
    (name) => {
      for (const theme of ['light', 'dark'] as const) {
        const [line = '', ground = ''] = [border?.[theme], colours.get(name)?.[theme]];
        expectFor(theme, contrast(line, ground)).toBeGreaterThanOrEqual(3);
      }
    },
  );
});
