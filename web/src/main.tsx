import { App } from './app.js';
import { renderInLanguage } from './i18n/render-in-language.js';
import { applyTheme, preferredTheme } from './shell/theme.js';
import './styles/tokens.css';
import './styles/base.css';

applyTheme(preferredTheme(location.search));
const container = document.getElementById('app');
if (container !== null) void renderInLanguage(<App />, container);
