import type { AdminDispute } from '@fairlead/contract/client';
import { useEffect, useRef } from 'preact/hooks';
import { AnswerView } from '../../components/answer-view.js';
import { Button, Choice } from '../../components/controls.js';
import { TimeAgo } from '../../components/inline.js';
import { Empty } from '../../components/notice.js';
import { FocusGroup } from '../../components/page-parts.js';
import { RecordTable } from '../../components/record-table.js';
import { corridorsQuestion } from '../../data/corridors.js';
import { useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { anchorNames } from '../../figures/anchor-name.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import styles from './desk.module.css';
import { listQuestion, type Session } from './session.js';

const statuses = ['open', 'accepted', 'rejected', 'all'] as const;

/** The disputes of a status, a page at a time. */
export function DisputeList(props: {
  session: Session;
  onRefused: () => void;
  onOpen: (id: string) => void;
}) {
  const { t } = useLanguage();
  const { session, onRefused, onOpen } = props;
  const [status, setStatus] = useViewPart('status', 'open');
  const [cursor, setCursor] = useViewPart('cursor', '');
  const answer = useAnswer(listQuestion(session, { status: status === 'all' ? '' : status, cursor }));
  const isRefused = answer.problem?.kind === 'refused' && answer.problem.status === 401;
  useEffect(() => {
    if (isRefused) onRefused();
  }, [isRefused, onRefused]);
  const list = useRef<HTMLDivElement>(null);
  const turnTo = (place: string) => {
    setCursor(place);
    // The button goes with the page that it belongs to.
    list.current?.focus({ preventScroll: true });
  };
  return (
    <>
      <Choice
        legend={t('desk.status')}
        options={statuses.map((value) => ({ value, label: t(`desk.status_${value}`) }))}
        value={statuses.find((each) => each === status) ?? 'open'}
        onChoose={(value) => {
          // A cursor is valid in one list only.
          setCursor('');
          setStatus(value);
        }}
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
  const { t, locale } = useLanguage();
  const corridors = useAnswer(corridorsQuestion);
  const nameOf = anchorNames(corridors.value ?? []);
  return (
    <RecordTable
      caption={t('desk.list')}
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        {
          label: t('desk.claim'),
          kind: 'name',
          cell: ({ id, reason }) => (
            <button type="button" class={styles.link} onClick={() => onOpen(id)}>
              {reason}
            </button>
          ),
        },
        { label: t('offramp.anchor'), cell: ({ anchorId }) => nameOf(anchorId) },
        { label: t('offramp.corridor'), cell: ({ corridor }) => corridorName(corridor, locale) },
        { label: t('desk.filedBy'), cell: ({ filedBy }) => t(`desk.by_${filedBy}`) },
        { label: t('desk.support'), cell: ({ support }) => t(`desk.support_${support}`) },
        { label: t('desk.filed'), cell: ({ createdAt }) => <TimeAgo instant={createdAt} /> },
        { label: t('desk.status'), cell: ({ status }) => <DisputeMark status={status} /> },
      ]}
    />
  );
}

export function DisputeMark({ status }: { status: AdminDispute['status'] }) {
  const { t } = useLanguage();
  return <span class={`${styles.mark} ${styles[status]}`}>{t(`desk.status_${status}`)}</span>;
}
