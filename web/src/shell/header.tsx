import { useLocation } from 'preact-iso';
import { useLanguage } from '../i18n/language.js';
import type { TextKey } from '../i18n/translate.js';
import { Choices } from './choices.js';
import styles from './header.module.css';

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
