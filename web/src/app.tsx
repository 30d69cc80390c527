import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { PageNotFound } from './pages/page-not-found.js';
import { PageBoundary } from './shell/page-boundary.js';
import { Shell } from './shell/shell.js';


/** Everything else on this origin is a document or the API, which a link leaves the page for. */
const ownPaths = /^\/($|\?|(rates|anchors|offramp|dispute|desk|proof|embed)([/?]|$))/;

/** The server knows these paths as well: server/http/page-paths.ts. */
export function App() {
  return (
    <LocationProvider scope={ownPaths}>
      <Framed />
    </LocationProvider>
  );
}

/** The board in somebody else's page has no header: the page around it has one. */
function Framed() {
  const { path } = useLocation();
  return path.startsWith('/embed/') ? (
    <Pages />
  ) : (
    <Shell>
      <Pages />
    </Shell>
  );
}

function Pages() {
  const { path } = useLocation();
  return (
    <PageBoundary path={path}>
      <Router onRouteChange={focusHeading}>
        <Route path="/" component={PageNotFound} />
        <Route default component={PageNotFound} />
      </Router>
    </PageBoundary>
  );
}

/** Whether the reader has gone somewhere, by a link or back, since the heading last took the focus. */
let hasGone = false;
addEventListener('popstate', () => {
  hasGone = true;
});
addEventListener('click', ({ target }) => {
  hasGone ||= target instanceof Element && target.closest('a') !== null;
});

/**
 * After navigation a screen reader goes on at the new page's heading. A control of the page that has changed the path, as
 * the choice of a corridor does, keeps the focus, and a page that completes its own address moves nothing.
 */
function focusHeading(): void {
  if (!hasGone) return;
  hasGone = false;
  const { activeElement } = document;
  if (activeElement?.closest('main') && !activeElement.matches('a, main')) return;
  document.querySelector('h1')?.focus({ preventScroll: true });
}
