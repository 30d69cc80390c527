import type { ComponentType } from 'preact';
import { LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso';
import { corridorsQuestion } from './data/corridors.js';
import { observerOf } from './data/use-answer.js';
import { PageBoundary, PageMissing, PageNotFound } from './shell/page-failed.js';
import { Shell } from './shell/shell.js';

const RatesPage = page(async () => (await import('./pages/rates/rates-page.js')).RatesPage);
const LeaderboardPage = page(
  async () => (await import('./pages/anchors/leaderboard-page.js')).LeaderboardPage,
);
const AnchorPage = page(async () => (await import('./pages/anchors/anchor-page.js')).AnchorPage);
const OfframpPage = page(async () => (await import('./pages/offramp/offramp-page.js')).OfframpPage);
const DisputePage = page(async () => (await import('./pages/dispute/dispute-page.js')).DisputePage);
const DeskPage = page(async () => (await import('./pages/desk/desk-page.js')).DeskPage);
const ProofPage = page(async () => (await import('./pages/proof/proof-page.js')).ProofPage);

// Most visits begin at the rates: their code and the corridors are asked for together with the texts, not after them.
if (/^\/($|rates\/)/.test(location.pathname)) {
  void RatesPage.preload();
  void observerOf(corridorsQuestion).refetch();
}

/** A page whose code is loaded when it is opened. If loading fails, PageMissing takes its place. */
function page(load: () => Promise<ComponentType>) {
  return lazy(() => load().catch(() => PageMissing));
}

/** All other paths of this origin belong to a document or the API; a link to one of them leaves the page. */
const ownPaths = /^\/($|\?|(rates|anchors|offramp|dispute|desk|proof)([/?]|$))/;

/** The server knows these paths as well: server/http/page.ts. */
export function App() {
  return (
    <LocationProvider scope={ownPaths}>
      <Shell>
        <Pages />
      </Shell>
    </LocationProvider>
  );
}

function Pages() {
  const { path } = useLocation();
  return (
    <PageBoundary path={path}>
      <Router onRouteChange={focusHeading}>
        <Route path="/" component={RatesPage} />
        <Route path="/rates/:corridor" component={RatesPage} />
        <Route path="/anchors" component={LeaderboardPage} />
        <Route path="/anchors/:anchorId" component={AnchorPage} />
        <Route path="/offramp" component={OfframpPage} />
        <Route path="/offramp/:intentHash" component={OfframpPage} />
        <Route path="/dispute" component={DisputePage} />
        <Route path="/desk" component={DeskPage} />
        <Route path="/proof" component={ProofPage} />
        <Route path="/proof/:anchorId" component={ProofPage} />
        <Route default component={PageNotFound} />
      </Router>
    </PageBoundary>
  );
}

/** Whether the reader has gone somewhere, by a link, a form or back, since the heading last took the focus. */
let hasGone = false;
const markGone = () => {
  hasGone = true;
};
addEventListener('popstate', markGone);
// Listens in the capture phase: the form's own listener may draw the new page before the event would arrive here.
addEventListener('submit', markGone, { capture: true });
addEventListener('click', ({ target }) => {
  hasGone ||= target instanceof Element && target.closest('a') !== null;
});

/**
 * After navigation, the focus moves to the new page's heading, where a screen reader continues. A control that changes the
 * path, such as the choice of a corridor, keeps the focus, and a page that completes its own address moves nothing.
 */
function focusHeading(): void {
  if (!hasGone) return;
  hasGone = false;
  const { activeElement } = document;
  if (activeElement?.closest('main') && !activeElement.matches('a, main')) return;
  document.querySelector('h1')?.focus({ preventScroll: true });
}
