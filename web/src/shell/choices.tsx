import { useState } from 'preact/hooks';
import { useLanguage } from '../i18n/language.js';
import { locales } from '../i18n/locales.js';
import type { TextKey } from '../i18n/translate.js';
import styles from './header.module.css';
import { chooseTheme, preferredTheme, type Theme, themes } from './theme.js';

const themeTexts: Record<Theme, TextKey> = {
  system: 'common.themeSystem',
  light: 'common.themeLight',
  dark: 'common.themeDark',
};

/** The language, each named in itself, and the theme. */
export function Choices() {
  const { t, locale, choose } = useLanguage();
  const [theme, setTheme] = useState(() => preferredTheme(location.search));
  return (
    <div class={styles.choices}>
      <select
        aria-label={t('common.language')}
        value={locale}
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
            {t(themeTexts[each])}
          </option>
        ))}
      </select>
    </div>
  );
}
