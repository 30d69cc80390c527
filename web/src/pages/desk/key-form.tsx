import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Field } from '../../components/controls.js';
import { Notice } from '../../components/notice.js';
import { Card } from '../../components/page-parts.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './desk.module.css';
import { openSession, type Session } from './session.js';

/** Why the desk was closed. */
export type Closed = 'refused' | 'forgotten';

/** Takes the admin key. The control is emptied when it is read; a form is avoided, because browsers offer to remember it. */
export function KeyForm(props: { closed: Closed | undefined; onOpen: (session: Session) => void }) {
  const { t } = useLanguage();
  const { closed, onOpen } = props;
  const control = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The browser may show the same page again when the reader goes back.
    const empty = () => {
      if (control.current !== null) control.current.value = '';
    };
    addEventListener('pagehide', empty);
    return () => removeEventListener('pagehide', empty);
  }, []);
  const [error, setError] = useState(closed === 'refused' ? t('desk.keyWrong') : undefined);
  const [isOpening, setIsOpening] = useState(false);
  useEffect(() => {
    // The element with the focus disappeared with the desk. The error is read out as the field's description.
    if (closed !== undefined) control.current?.focus();
  }, [closed]);
  const fail = (why: string) => {
    setError(why);
    control.current?.focus();
  };
  const open = async () => {
    const adminKey = control.current?.value.trim() ?? '';
    if (control.current !== null) control.current.value = '';
    // An HTTP header value can hold only these characters.
    if (!/^[\x21-\x7e]+$/.test(adminKey)) return fail(t('desk.keyMissing'));
    setIsOpening(true);
    const session = await openSession(adminKey).catch(() => undefined);
    if (session !== undefined) return onOpen(session);
    setIsOpening(false);
    fail(t('desk.notLoaded'));
  };
  return (
    <Card title={t('desk.open')}>
      <p>{t('desk.keyCare')}</p>
      {!isSecureContext && <Notice tone="bad" title={t('desk.notEncrypted')} />}
      <div class={styles.key}>
        <Field label={t('desk.key')} error={error} hint={t('desk.keyHint')}>
          {(ids) => (
            <input
              {...ids}
              ref={control}
              type="password"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              onInput={() => setError(undefined)}
              onKeyDown={(event) => event.key === 'Enter' && void open()}
            />
          )}
        </Field>
        <Button strong disabled={isOpening} onClick={() => void open()}>
          {t('desk.openNow')}
        </Button>
      </div>
    </Card>
  );
}
