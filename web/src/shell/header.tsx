import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLanguage } from '../i18n/language.js';
import { locales } from '../i18n/locales.js';
import type { TextKey } from '../i18n/translate.js';
import styles from './header.module.css';
import { chooseTheme, preferredTheme, type Theme, themes } from './theme.js';

const areas: { text: TextKey; href: string; isOf: RegExp }[] = [
  { text: 'common.navRates', href: '/', isOf: /^\/($|rates\/)/ },
  { text: 'common.navAnchors', href: '/anchors', isOf: /^\/anchors/ },
  { text: 'common.navOfframp', href: '/offramp', isOf: /^\/(offramp|dispute)/ },
  { text: 'common.navProof', href: '/proof', isOf: /^\/proof/ },
  { text: 'common.navApi', href: '/docs', isOf: /^\/docs/ },
];

/** The name and the way to every area; the area that is shown is marked. */
export function Header() {
  const { t } = useLanguage();
  const { path } = useLocation();
  return (
    <header class={styles.header}>
      <div class={styles.bar}>
        <a class={styles.brand} href="/">
          <img src="/favicon.svg" alt="" width="28" height="28" />
          Fairlead
        </a>
        <nav aria-label={t('common.nav')}>
          <ul class={styles.areas}>
            {areas.map(({ text, href, isOf }) => (
              <li key={href}>
                <a href={href} aria-current={isOf.test(path) ? 'page' : undefined}>
                  {t(text)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Choices />
      </div>
    </header>
  );
}

/** The language, each named in itself, and the theme. */
function Choices() {
  const { t, language, choose } = useLanguage();
  const [theme, setTheme] = useState(() => preferredTheme(location.search));
  return (
    <div class={styles.choices}>
      <select
        aria-label={t('common.language')}
        value={language}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {locales.map((each) => (
          <option key={each} value={each} lang={each}>
            {new Intl.DisplayNames(each, { type: 'language' }).of(each)}
          </option>
        ))}
      </select>
      <select
        aria-label={t('common.theme')}
        value={theme}
        onChange={(event) => {
          const chosen = event.currentTarget.value as Theme;
          chooseTheme(chosen);
          setTheme(chosen);
        }}
      >
        {themes.map((each) => (
          <option key={each} value={each}>
            {t(`common.theme_${each}`)}
          </option>
        ))}
      </select>
    </div>
  );
}
