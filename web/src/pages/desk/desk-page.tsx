import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Button } from '../../components/controls.js';
import { PageHeading } from '../../components/page-parts.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './desk.module.css';
import { DisputeDetail } from './dispute-detail.js';
import { DisputeList } from './dispute-list.js';
import { type Closed, KeyForm } from './key-form.js';
import { useSession } from './session.js';

/** The admin's desk. */
export function DeskPage() {
  const { t } = useLanguage();
  return (
    <>
      <PageHeading title={t('desk.title')}>{t('desk.lead')}</PageHeading>
      <Desk />
    </>
  );
}

/** The list of disputes and the opened one, once there is a key. */
function Desk() {
  const { t } = useLanguage();
  const { session, open, close } = useSession();
  const [closed, setClosed] = useState<Closed>();
  const [actor, setActor] = useState('');
  const [id, openDispute] = useOpenedDispute();
  const refuse = useCallback(() => {
    setClosed('refused');
    close();
  }, [close]);
  const isOpen = session !== undefined;
  useEffect(() => {
    if (isOpen) document.querySelector('h1')?.focus();
  }, [isOpen]);
  if (session === undefined) return <KeyForm closed={closed} onOpen={open} />;
  return (
    <>
      <div class={styles.bar}>
        <p>{t('desk.isOpen')}</p>
        <Button
          onClick={() => {
            setClosed('forgotten');
            close();
          }}
        >
          {t('desk.forget')}
        </Button>
      </div>
      {id === '' ? (
        <DisputeList session={session} onRefused={refuse} onOpen={openDispute} />
      ) : (
        <DisputeDetail
          key={id}
          session={session}
          id={id}
          actor={actor}
          onActor={setActor}
          onRefused={refuse}
          onBack={() => openDispute('')}
        />
      )}
    </>
  );
}

/** The dispute in the address. Opening one is a step of the browser's history, so that going back does not leave the desk. */
function useOpenedDispute(): [string, (id: string) => void] {
  const { query, route } = useLocation();
  const id = query.id ?? '';
  const shown = useRef(id);
  useEffect(() => {
    if (shown.current !== id) document.querySelector('h1')?.focus();
    shown.current = id;
  }, [id]);
  const open = (opened: string) => {
    const parts = new URLSearchParams(location.search);
    if (opened === '') parts.delete('id');
    else parts.set('id', opened);
    const search = parts.toString();
    route(search === '' ? location.pathname : `${location.pathname}?${search}`);
  };
  return [id, open];
}
