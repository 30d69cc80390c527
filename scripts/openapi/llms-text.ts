import type { Page } from '../../server/http/docs-texts.js';
import type { OpenApiDocument } from './document.js';

/** Pages for those who run or change a service; callers of the API do not need them. */
const forOperators = /^(benchmarks|conformance|fleet|operations\/\w+|guides\/(operators|contributors))\.md$/;

/**
 * docs/llms.txt in the form of llmstxt.org: what the service is, the document, every operation and every page, each with a
 * sentence. Addresses are paths of the service, which serves the text and the pages.
 */
export function llmsText({ info, paths }: OpenApiDocument, pages: readonly Page[]): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { security, summary }]) => {
      // A JSON pointer (RFC 6901) to the operation, as the fragment of a URI.
      const pointer = encodeURI(`/paths/${path.replaceAll('/', '~1')}/${method}`);
      return {
        line: `- [${method.toUpperCase()} ${path}](/openapi.json#${pointer}): ${summary}`,
        kind: security.length > 0 ? 'operator' : method === 'get' ? 'read' : 'write',
      };
    }),
  );
  const list = (wanted: string) => operations.filter(({ kind }) => kind === wanted).map(({ line }) => line);
  const readers = pages.filter(({ path }) => !forOperators.test(path));
  const operators = pages.filter(({ path }) => forOperators.test(path));
  const section = (title: string, lines: readonly string[]) => `## ${title}\n\n${lines.join('\n')}`;
  return `${[
    `# ${info.title}`,
    `> ${info.summary}`,
    info.description,
    section('The document', [
      '- [OpenAPI 3.1](/openapi.json): every operation, schema, error and example, and the deliveries of webhooks',
      '- [OpenAPI 3.1 without webhooks](/openapi.client.json): for generators of clients',
      '- [API page](/docs): the same for people, to try requests in a browser',
    ]),
    section('Read without a key', list('read')),
    section('Write, signed or open', list('write')),
    section('Pages', readers.map(pageLine)),
    section('Optional', [...list('operator'), ...operators.map(pageLine)]),
  ].join('\n\n')}\n`;
}

function pageLine({ path, text }: Page): string {
  const [title, first] = beginningOf(text);
  if (title === undefined) throw new Error(`docs/${path} has no title`);
  return `- [${title}](/docs/${path})${first === undefined ? '' : `: ${first}`}`;
}

/** The title of a page and the first sentence of the paragraph that follows it, without its links. */
function beginningOf(text: string): (string | undefined)[] {
  const [, title, rest = ''] = /^# (.+)\n([\s\S]*)$/m.exec(text) ?? [];
  const paragraph = rest.trim().split('\n\n')[0] ?? '';
  if (!/^[\w`*"]/.test(paragraph)) return [title];
  const plain = paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return [title, /^.+?[.:?!](?= |$)/.exec(plain)?.[0].replace(/[.:]$/, '')];
}
