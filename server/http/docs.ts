import { Router } from 'express';

/** Whether a path belongs to the documentation, including `/`, which redirects to it. */
export function isDocsPath(path: string): boolean {
  return /^\/($|docs($|\/)|openapi(\.client)?\.json$|llms\.txt$)/.test(path);
}

/**
 * `/docs` (Swagger UI on local files, under a strict policy and the header of the web page), `/openapi.json` and
 * `/openapi.client.json` (the documents, with this origin as their server), `/llms.txt` and the pages it names
 * (`/docs/rates.md`), which browsers get in the dress of the web page. They are neither limited nor authenticated; nothing
 * in them comes from the request. What makes them is loaded with the first request, since most processes never serve them.
 */
export function createDocsRouter({ pageFolder }: { pageFolder: URL | undefined }): Router {
  let pages: Promise<Router> | undefined;
  return Router({ caseSensitive: true }).use((req, res, next) => {
    pages ??= import('./docs-pages.js').then(({ routePages }) => routePages(pageFolder));
    pages.then((router) => router(req, res, next)).catch(next);
  });
}
