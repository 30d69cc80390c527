import { readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** A fenced block of a page. */
export interface Block {
  /** The text after the fence: a language, with a name where a page has several blocks; often empty. */
  fence: string;
  text: string;
}

/** Every fenced block of a page, in their order. */
export function blocksOf(page: string): Block[] {
  const blocks = readFileSync(new URL(page, root), 'utf8').matchAll(/^ *```(.*)\n([\s\S]*?)^ *```$/gm);
  return [...blocks].map(([, fence = '', text = '']) => ({ fence: fence.trim(), text }));
}

/** The first block with this fence whose text matches, and the output that the page shows after it. */
export function blockOf(page: string, fence: string, pattern = /./): Block & { shown: string | undefined } {
  const blocks = blocksOf(page);
  const at = blocks.findIndex((one) => one.fence === fence && pattern.test(one.text));
  const [found, next] = blocks.slice(at);
  if (at === -1 || found === undefined) throw new Error(`${page} has no ${fence} with ${pattern}`);
  return { ...found, shown: next?.fence === 'text' ? next.text : undefined };
}

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

/** Throws unless every line of what a page shows has a similar line in the output, in the same order. */
export function expectLike(output: string, shown: string): void {
  const shapes = output.split('\n').map(shapeOf);
  let from = 0;
  for (const line of shown.split('\n').filter((one) => one.trim() !== '')) {
    const found = shapes.indexOf(shapeOf(line), from);
    if (found === -1) throw new Error(`no line like “${line.trim()}” in:\n${output}`);
    from = found + 1;
  }
}
