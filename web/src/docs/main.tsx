import { LocationProvider } from 'preact-iso';
import { renderInLanguage } from '../i18n/render-in-language.js';
import { Header } from '../shell/header.js';
import { applyTheme, preferredTheme } from '../shell/theme.js';
import '../styles/tokens.css';
import '../styles/base.css';
import './swagger.css';

/** The header of every page, above Swagger UI, which has a page of its own: each of its links leaves that. */
const noPath = /^$/;

const root = document.documentElement;
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** Swagger UI is dark under a class; what this page says of it in swagger.css is dark by itself. */
function followTheme(): void {
  const { theme } = root.dataset;
  root.classList.toggle('dark-mode', theme === undefined ? systemIsDark.matches : theme === 'dark');
}

applyTheme(preferredTheme(location.search));
followTheme();
systemIsDark.addEventListener('change', followTheme);
new MutationObserver(followTheme).observe(root, { attributeFilter: ['data-theme'] });

const header = document.getElementById('header');
if (header !== null)
  void renderInLanguage(
    <LocationProvider scope={noPath}>
      <Header />
    </LocationProvider>,
    header,
  );
