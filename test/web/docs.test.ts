import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import document from '../../docs/openapi.json' with { type: 'json' };
import { withSamples } from '../../scripts/openapi/code-samples.js';
import type { OpenApiDocument } from '../../scripts/openapi/document.js';
import { type BuiltPage, writeBuiltPage } from '../fixtures/edge/built-page.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { testDatabase } from '../support/database.js';

const reference = withSamples(document as unknown as OpenApiDocument);

describe('the reference', () => {
  it('begins each operation with a request that can be copied, for a shell and for TypeScript', () => {
    const wrong = Object.entries(reference.paths).flatMap(([path, operations]) =>
      Object.entries(operations).filter(([, { description }]) => {
        const [, curl = '', call = ''] =
          /^```sh\n(curl [\s\S]*?)\n```\n\n```ts\n([\s\S]*?)\n```\n\n/.exec(description) ?? [];
        const isFilled = !/[{}]|undefined/.test(curl.split(" -d '")[0] ?? '');
        return !(isFilled && /client\.\w+\.\w+\(/.test(call) && !call.includes('undefined') && path !== '');
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('names what an operation takes, and the credential that it asks for', () => {
    const updated = reference.paths['/api/admin/webhooks/{id}']?.patch?.description ?? '';
    expect(updated).toContain('curl -X PATCH "$FAIRLEAD_URL/api/admin/webhooks/whk_');
    expect(updated).toContain('-H "X-Admin-Key: $ADMIN_SECRET_KEY"');
    expect(updated).toContain(`-d '{"enabled":false}'`);
    expect(updated).toContain('client.webhooks.updateWebhook({\n  params: {\n    id: "whk_');
  });
});

describe('a page of the documentation', () => {
  const database = testDatabase();
  let built: BuiltPage;
  let app: TestApp;
  beforeAll(async () => {
    built = writeBuiltPage();
    app = await startTestApp({ uri: database.uri, world: { pageFolder: built.folder } });
  });
  afterAll(async () => {
    await app.close();
    built.remove();
  });

  it.each([
    [
      'HTML in the dress of the web page for browsers, beside the links to the others and the reference',
      'text/html,application/xhtml+xml,*/*;q=0.8',
      'text/html; charset=utf-8',
      [
        '<div id="header"></div>',
        '<h1 id="rates">Rates</h1>',
        '<a href="/docs">API reference</a>',
        '<a href="/docs/rates.md" aria-current="page">Rates</a>',
      ],
    ],
    ['its own text for programs', '*/*', 'text/markdown; charset=utf-8', ['# Rates\n']],
  ])('is %s', async (_, accept, type, parts) => {
    const { headers, text } = await fetch(`${app.url}/docs/rates.md`, { headers: { accept } }).then(
      async (answer) => ({ headers: answer.headers, text: await answer.text() }),
    );
    expect([headers.get('vary'), headers.get('content-type')]).toEqual([
      expect.stringMatching(/\bAccept\b/),
      type,
    ]);
    expect(parts.filter((part) => !text.includes(part))).toEqual([]);
  });
});
