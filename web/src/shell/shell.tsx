import type { ComponentChildren } from 'preact';
import { useLanguage } from '../i18n/language.js';
import { Footer } from './footer.js';
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
