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
  const read = async (accept: string) => {
    const answer = await fetch(`${app.url}/docs/rates.md`, { headers: { accept } });
    expect(answer.headers.get('vary')).toMatch(/\bAccept\b/);
    return { type: answer.headers.get('content-type'), text: await answer.text() };
  };

  it('is HTML in the dress of the web page for browsers, beside the links to the others and the reference', async () => {
    const { type, text } = await read('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(type).toMatch(/^text\/html/);
    expect(text).toContain('<div id="header"></div>');
    expect(text).toContain('<h1 id="rates">Rates</h1>');
    expect(text).toContain('<a href="/docs">API reference</a>');
    expect(text).toContain('<a href="/docs/rates.md" aria-current="page">Rates</a>');
  });

  it('is its own text for programs', async () => {
    const { type, text } = await read('*/*');
    expect(type).toMatch(/^text\/markdown/);
    expect(text).toMatch(/^# Rates\n/);
  });
});
