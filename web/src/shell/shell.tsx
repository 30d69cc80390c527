import type { ComponentChildren } from 'preact';
import { useLanguage } from '../i18n/language.js';
import { Header } from './header.js';
import styles from './shell.module.css';

/** What surrounds every page: the way to the content, the header, the footer. */
export function Shell({ children }: { children: ComponentChildren }) {
  const { t } = useLanguage();
  return (
    <>
      <a class={styles.skip} href="#content">
        {t('common.skip')}
      </a>
      <Header />
      <main id="content" class={styles.main} tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </>
  );
}

const links = [
  ['/dispute', 'common.navDispute'],
  ['/desk', 'common.navDesk'],
  ['/docs', 'common.navApi'],
] as const;

function Footer() {
  const { t } = useLanguage();
  return (
    <footer class={styles.footer}>
      <p>{t('common.footer')}</p>
      <ul>
        {links.map(([href, text]) => (
          <li key={href}>
            <a href={href}>{t(text)}</a>
          </li>
        ))}
      </ul>
    </footer>
  );
}
