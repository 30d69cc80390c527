import { defineConfig } from 'vitepress';

const pages = (folder, ...items) => items.map(([text, link]) => ({ text, link: `${folder}${link}` }));

const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');

/** The site of these documents: `npm run docs` shows it, `npm run docs:build` writes it into artifacts/site. */
export default defineConfig({
  title: 'Fairlead',
  description: 'Off-ramp rates, anchor reputation and provable scores.',
  srcDir: '..',
  srcExclude: [
    'artifacts/**',
    'data*/**',
    'test/**',
    '.changeset/**',
    '.cache/**',
    '**/dist/**',
    '**/target/**',
  ],
  rewrites: { 'README.md': 'index.md' },
  outDir: '../artifacts/site',
  cacheDir: '../.cache/vitepress',
  // Headings have the anchors that GitHub gives them.
  markdown: { anchor: { slugify } },
  // Links to code lead nowhere on the site. test/guides/pages.test.ts follows all links in the repository.
  ignoreDeadLinks: true,
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      {
        text: 'Start',
        items: pages(
          '/',
          ['First five minutes', ''],
          ['All pages', 'docs/README'],
          ['Concepts', 'docs/concepts'],
        ),
      },
      {
        text: 'Guides',
        items: pages(
          '/docs/guides/',
          ['The page', 'page'],
          ['Wallets', 'wallets'],
          ['Anchors', 'anchors'],
          ['Operators', 'operators'],
          ['Readers of scores', 'oracle-consumers'],
          ['Receivers of webhooks', 'webhook-receivers'],
          ['React', 'tanstack-query'],
          ['Contributors', 'contributors'],
        ),
      },
      {
        text: 'Reference',
        items: pages(
          '/docs/',
          ['Rates', 'rates'],
          ['Streams', 'streams'],
          ['Intents', 'intents'],
          ['Reputation', 'reputation'],
          ['Disputes', 'disputes'],
          ['Publisher', 'publisher'],
          ['Webhooks', 'webhooks'],
          ['Errors', 'errors'],
          ['Conformance', 'conformance'],
        ),
      },
      {
        text: 'Operations',
        items: pages(
          '/docs/',
          ['Fleet file', 'fleet'],
          ['Configure', 'operations/configure'],
          ['Run', 'operations/run'],
          ['Deploy', 'operations/deploy'],
          ['Threat model', 'threat-model'],
          ['Privacy', 'privacy'],
          ['Benchmarks', 'benchmarks'],
        ),
      },
      {
        text: 'Packages',
        items: pages(
          '/',
          ['Contract', 'contract/README'],
          ['MCP server', 'mcp/README'],
          ['Go', 'clients/go/README'],
          ['Python', 'clients/python/README'],
          ['Java', 'clients/java/README'],
        ),
      },
    ],
  },
});
