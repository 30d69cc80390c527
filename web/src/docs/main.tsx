import { LocationProvider } from 'preact-iso';
import { renderInLanguage } from '../i18n/render-in-language.js';
import { Header } from '../shell/header.js';
import { applyTheme, preferredTheme } from '../shell/theme.js';
import '../styles/tokens.css';
import '../styles/base.css';
import './swagger.css';
import './guide.css';

/** Matches no path: the header is above Swagger UI, a separate document, which each link of the header leaves. */
const noPath = /^$/;

const root = document.documentElement;
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** Swagger UI has a class for its dark theme; the rules of swagger.css follow the theme without it. */
function followTheme(): void {
  const { theme } = root.dataset;
  root.classList.toggle('dark-mode', theme === undefined ? systemIsDark.matches : theme === 'dark');
}

applyTheme(preferredTheme(location.search));
followTheme();
systemIsDark.addEventListener('change', followTheme);
new MutationObserver(followTheme).observe(root, { attributeFilter: ['data-theme'] });

/** Swagger UI leaves lists to choose from without a name, and what scrolls out of reach of the keyboard. */
function completeControls(): void {
  for (const each of document.querySelectorAll('.swagger-ui select:not([aria-label])'))
    each.setAttribute('aria-label', each.closest('tr')?.dataset.paramName ?? 'Choice');
  for (const each of document.querySelectorAll('.swagger-ui pre.microlight'))
    each.setAttribute('tabindex', '0');
  for (const each of document.querySelectorAll('.swagger-ui table[role]')) each.removeAttribute('role');
}
new MutationObserver(completeControls).observe(document.body, { childList: true, subtree: true });

/** Swagger UI is large: it is loaded with the first operation that is opened, in place of the list of them. */
function loadReference(): void {
  const host = document.getElementById('swagger-ui');
  if (host === null || !location.hash.startsWith('#/')) return;
  removeEventListener('hashchange', loadReference);
  host.firstElementChild?.setAttribute('aria-busy', 'true');
  for (const file of (host.dataset.files ?? '').split(' ')) {
    const isScript = file.endsWith('.js');
    const element = document.createElement(isScript ? 'script' : 'link');
    // Scripts run in their order, and the styles of the page overrule those of Swagger UI.
    if (isScript) document.head.append(Object.assign(element, { src: file, async: false }));
    else document.head.prepend(Object.assign(element, { rel: 'stylesheet', href: file }));
    // The last script starts Swagger UI when the page has been loaded, which it mostly has.
    element.onload = () => {
      if (file.endsWith('-init.js') && document.readyState === 'complete') dispatchEvent(new Event('load'));
    };
  }
}
addEventListener('hashchange', loadReference);
loadReference();

const header = document.getElementById('header');
if (header !== null)
  void renderInLanguage(
    <LocationProvider scope={noPath}>
      <Header />
    </LocationProvider>,
    header,
  );
