import type { Block } from './fenced-blocks.js';

/** The line without what differs each time: names, numbers, ids and times. */
function shapeOf(line: string): string {
  return line
    .replaceAll(/'[^']*'/g, "'…'")
    .replaceAll(/"(intentHash|anchorId)":"[^"]*"/g, '"$1":"…"')
    .replaceAll(/\bG[A-Z2-7]{55}\b/g, 'G…')
    .replaceAll(/\b(dsp|evt)_[0-9a-f]+|\b[0-9a-f]{12,}…?|-?\d+(\.\d+)?/g, '#')
    .replace(/(proof) +.*, score/, '$1 …, score')
    .trim();
}

/** Every line of the block has a similar line in the output, in the order of the block. */
export function expectLike(output: string, { text }: Block): void {
  const shapes = output.split('\n').map(shapeOf);
  let from = 0;
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const found = shapes.indexOf(shapeOf(line), from);
    if (found === -1) throw new Error(`no line like “${line.trim()}” in:\n${output}`);
    from = found + 1;
  }
}
