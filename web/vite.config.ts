import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: fromHere('.'),
  resolve: {
    // The sources of the contract: the page is built from the commit that the service is built from.
    alias: [
      { find: /^@fairlead\/contract$/, replacement: fromHere('../contract/index.ts') },
      { find: /^@fairlead\/contract\/client$/, replacement: fromHere('../contract/client/index.ts') },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2023',
    // The policy of the page allows neither inline scripts nor data: addresses of fonts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What the packages in the build ask to be passed on with them.
    license: { fileName: 'licenses.json' },
    rolldownOptions: {
      input: { index: fromHere('index.html'), docs: fromHere('docs.html') },
      output: {
        codeSplitting: {
          // What several pages share is one file: as twenty, half of their bytes on the wire would be headers.
          groups: [{ name: 'shared', test: /\/web\/src\/(components|data|figures)\//, minShareCount: 2 }],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '^/(api|v1|docs|openapi|llms)([/.]|$)': process.env.FAIRLEAD_SERVICE_URL ?? 'http://127.0.0.1:8080',
    },
  },
});
