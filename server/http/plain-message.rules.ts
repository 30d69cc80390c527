import { type ZodIssue, z } from 'zod';

export type RequestPart = 'path' | 'query' | 'header' | 'body';

/** What is wrong, in the tone of our own messages; these are kept, zod's own are put into words for people. */
export function plainMessage(issue: ZodIssue, part: RequestPart): string {
  if (issue.message !== z.defaultErrorMap(issue, { data: undefined, defaultError: '' }).message)
    return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      if (issue.received === 'undefined') return 'is required';
      if (part === 'query' && issue.received === 'array') return 'is given more than once';
      return issue.expected.includes("'")
        ? `must be one of ${issue.expected.replaceAll("'", '').replaceAll(' | ', ', ')}`
        : `must be ${withArticle(issue.expected)}`;
    case 'invalid_enum_value':
      // zod quotes what was received, which may be long or hostile.
      return `must be one of ${issue.options.join(', ')}`;
    case 'too_big':
      return `must ${measure(issue.type)} at most ${issue.maximum}${unit(issue.type, issue.maximum)}`;
    case 'too_small':
      return `must ${measure(issue.type)} at least ${issue.minimum}${unit(issue.type, issue.minimum)}`;
    default:
      return issue.message;
  }
}

function withArticle(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function measure(type: string): string {
  return type === 'string' || type === 'array' ? 'have' : 'be';
}

function unit(type: string, count: number | bigint): string {
  const noun = { string: ' character', array: ' item' }[type];
  return noun === undefined ? '' : `${noun}${Number(count) === 1 ? '' : 's'}`;
}
