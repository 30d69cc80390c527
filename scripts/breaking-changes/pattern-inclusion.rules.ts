import { DFA, JS, NFA } from 'refa';

const decided = new Map<string, boolean>();

/**
 * Whether every text that matches one of `from` also matches `to`. Patterns are compared as the sets of texts that they
 * describe; a pattern that cannot be read as such a set (a look-ahead, a word boundary) includes only itself.
 */
export function patternsFit(from: readonly string[], to: string): boolean {
  return from.some((one) => {
    const key = JSON.stringify([one, to]);
    const known = decided.get(key) ?? (one === to || isWithin(one, to));
    decided.set(key, known);
    return known;
  });
}

function isWithin(from: string, to: string): boolean {
  const [narrow, wide] = [textsOf(from), textsOf(to)];
  if (narrow === undefined || wide === undefined) return false;
  const others = DFA.fromFA(wide);
  others.complement();
  return NFA.fromIntersection(narrow, others).isEmpty;
}

/** The texts that fit, or undefined where the pattern is more than a set of texts. */
function textsOf(pattern: string): NFA | undefined {
  const isStart = pattern.startsWith('^');
  const isEnd = /(^|[^\\])(\\\\)*\$$/.test(pattern);
  const body = pattern.slice(isStart ? 1 : 0, isEnd ? -1 : undefined);
  // In `^a|b$`, each anchor belongs to one alternative only.
  if ((isStart || isEnd) && hasChoiceOutside(body)) return undefined;
  const source = `${isStart ? '' : '[^]*'}(?:${body})${isEnd ? '' : '[^]*'}`;
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source, flags: '' }).parse();
  try {
    return NFA.fromRegex(expression, { maxCharacter });
  } catch (error) {
    if (error instanceof Error && /assertion/i.test(error.message)) return undefined;
    throw error;
  }
}

function hasChoiceOutside(body: string): boolean {
  const { pattern } = JS.Parser.fromLiteral({ source: body, flags: '' }).ast;
  return pattern.alternatives.length > 1;
}
