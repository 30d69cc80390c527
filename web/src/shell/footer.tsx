import { useLanguage } from '../i18n/language.js';
import styles from './footer.module.css';

export function Footer() {
  const { t } = useLanguage();
  return (
    <footer class={styles.footer}>
      <p>{t('common.footer')}</p>
      <ul>
        <li>
          <a href="/dispute">{t('common.navDispute')}</a>
        </li>
        <li>
          <a href="/desk">{t('common.navDesk')}</a>
        </li>
        <li>
          <a href="/docs">{t('common.navApi')}</a>
        </li>
      </ul>
    </footer>
  );
}
