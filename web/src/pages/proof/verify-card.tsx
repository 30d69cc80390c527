import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Button, Field, Select } from '../../components/controls.js';
import { corridorsQuestion } from '../../data/corridors.js';
import { useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { anchorNames } from '../../figures/anchor-name.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { chosenEntry } from './chosen.js';
import type { Memory } from './memory.js';
import styles from './proof.module.css';
import { type Checks, entries } from './questions.js';
import type { Trust } from './step.js';
import { Verification } from './verification.js';

/** The choice of any score of any batch, and the check of it. */
export function VerifyCard(props: {
  latest: number;
  anchorId: string;
  trust: Trust;
  hasUnusable: boolean;
  checks: Checks | undefined;
  keep: (memory: Memory) => void;
}) {
  const { latest, anchorId, trust, hasUnusable, checks, keep } = props;
  const { t, locale } = useLanguage();
  const { route } = useLocation();
  const [batch, setBatch] = useViewPart('batch', '');
  const [corridor, setCorridor] = useViewPart('corridor', '');
  const [check, setCheck] = useViewPart('check', '');
  const [run, setRun] = useState(0);
  const sequence = Math.min(latest, /^[1-9]\d{0,14}$/.test(batch) ? Number(batch) : latest);
  const listed = useAnswer(entries(sequence));
  const corridors = useAnswer(corridorsQuestion);
  const nameOf = anchorNames(corridors.value ?? []);
  const entry = listed.value && chosenEntry(listed.value, { anchorId, corridor });
  const wanted = entry && { sequence, anchor: entry.anchorId, corridor: entry.corridor };
  const verify = (event: Event) => {
    event.preventDefault();
    // The address then names what is checked, even when newer batches have come.
    setBatch(String(sequence));
    setCheck('now');
    setRun((count) => count + 1);
  };
  const toAnchor = (id: string) => {
    setCorridor('');
    route(`/proof/${encodeURIComponent(id)}${location.search}`, true);
  };
  return (
    <>
      <form class={styles.choices} onSubmit={verify}>
        <Select
          label={t('proof.anchor')}
          options={(entry?.anchors ?? []).map((each) => [each, nameOf(each)])}
          value={entry?.anchorId ?? ''}
          onChoose={toAnchor}
        />
        <Select
          label={t('proof.corridor')}
          options={(entry?.corridors ?? []).map((each) => [each, corridorName(each, locale)])}
          value={entry?.corridor ?? ''}
          onChoose={setCorridor}
        />
        <Field label={t('proof.batch')}>
          {(ids) => (
            <input
              {...ids}
              type="number"
              min={1}
              max={latest}
              value={sequence}
              onChange={(event) => setBatch(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" strong disabled={entry === undefined || checks === undefined}>
          {t('proof.verifyNow')}
        </Button>
      </form>
      <AnswerView answer={listed} lines={1}>
        {() =>
          checks !== undefined &&
          check !== '' &&
          wanted !== undefined && (
            <Verification
              key={`${JSON.stringify(wanted)} ${run}`}
              wanted={wanted}
              name={nameOf(wanted.anchor)}
              trust={trust}
              hasUnusable={hasUnusable}
              checks={checks}
              keep={keep}
            />
          )
        }
      </AnswerView>
    </>
  );
}
