import { useLanguage } from '../i18n/language.js';
import styles from './simulated-banner.module.css';

/** Says once for a whole page that no real money is behind what it shows. */
export function SimulatedBanner({ isShown }: { isShown: boolean }) {
  const { t } = useLanguage();
  return isShown ? <p class={styles.banner}>{t('common.simulated')}</p> : null;
}
