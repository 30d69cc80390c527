import type { AdminDispute } from '@fairlead/contract/client';
import { useEffect, useRef } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Button } from '../../components/button.js';
import { Empty } from '../../components/empty.js';
import { FocusGroup } from '../../components/focus-group.js';
import { TimeAgo } from '../../components/time-ago.js';
import { useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './desk.module.css';
import { FilterBar } from './filter-bar.js';
import { listQuestion } from './questions.js';
import type { Session } from './session.js';

/** The disputes that pass the filters, a page at a time. */
export function DisputeList(props: {
  session: Session;
  onRefused: () => void;
  onOpen: (id: string) => void;
}) {
  const { t } = useLanguage();
  const { session, onRefused, onOpen } = props;
  const [status, setStatus] = useViewPart('status', 'open');
  const [support, setSupport] = useViewPart('support', '');
  const [anchor, setAnchor] = useViewPart('anchor', '');
  const [cursor, setCursor] = useViewPart('cursor', '');
  const filters = { status: status === 'all' ? '' : status, support, anchor, cursor };
  const answer = useAnswer(listQuestion(session, filters));
  const isRefused = answer.problem?.kind === 'refused' && answer.problem.status === 401;
  useEffect(() => {
    if (isRefused) onRefused();
  }, [isRefused, onRefused]);
  const filter = (set: (value: string) => void) => (value: string) => {
    // A cursor is valid in one list only; another filter starts another list.
    setCursor('');
    set(value);
  };
  const list = useRef<HTMLDivElement>(null);
  const turnTo = (place: string) => {
    setCursor(place);
    // The button goes with the page that it belongs to.
    list.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <FilterBar
        status={status}
        support={support}
        anchor={anchor}
        onStatus={filter(setStatus)}
        onSupport={filter(setSupport)}
        onAnchor={filter(setAnchor)}
      />
      <FocusGroup at={list}>
        <AnswerView answer={answer} lines={6}>
          {({ items, nextCursor }) => (
            <>
              {items.length === 0 ? (
                <Empty title={t(status === 'open' ? 'desk.noneOpen' : 'desk.none')} />
              ) : (
                <DisputeTable items={items} onOpen={onOpen} />
              )}
              {nextCursor !== null && (
                <div>
                  <Button onClick={() => turnTo(nextCursor)}>{t('desk.nextPage')}</Button>
                </div>
              )}
            </>
          )}
        </AnswerView>
      </FocusGroup>
      {/* This is also shown if the service rejects the cursor in the address. */}
      {cursor !== '' && (
        <div>
          <Button onClick={() => turnTo('')}>{t('desk.firstPage')}</Button>
        </div>
      )}
    </>
  );
}

function DisputeTable({ items, onOpen }: { items: AdminDispute[]; onOpen: (id: string) => void }) {
  const { t } = useLanguage();
  return (
    <table class={styles.table}>
      <caption class="visually-hidden">{t('desk.list')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('desk.claim')}</th>
          <th scope="col">{t('offramp.anchor')}</th>
          <th scope="col">{t('desk.filedBy')}</th>
          <th scope="col">{t('desk.support')}</th>
          <th scope="col">{t('desk.filed')}</th>
          <th scope="col">{t('desk.status')}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((dispute) => (
          <tr key={dispute.id}>
            <th scope="row">
              <button type="button" class={styles.link} onClick={() => onOpen(dispute.id)}>
                {dispute.reason}
              </button>
            </th>
            <td data-label={t('offramp.anchor')}>
              {dispute.anchorId} · {dispute.corridor}
            </td>
            <td data-label={t('desk.filedBy')}>{t(`desk.by_${dispute.filedBy}`)}</td>
            <td data-label={t('desk.support')}>{t(`desk.support_${dispute.support}`)}</td>
            <td data-label={t('desk.filed')}>
              <TimeAgo instant={dispute.createdAt} />
            </td>
            <td data-label={t('desk.status')}>
              <DisputeMark status={dispute.status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function DisputeMark({ status }: { status: AdminDispute['status'] }) {
  const { t } = useLanguage();
  return <span class={`${styles.mark} ${styles[status]}`}>{t(`desk.status_${status}`)}</span>;
}
