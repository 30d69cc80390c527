import type { PublisherHealth } from '@fairlead/contract/client';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { AnswerView } from '../../components/answer-view.js';
import { Button } from '../../components/button.js';
import { Card } from '../../components/card.js';
import { Empty } from '../../components/empty.js';
import { Field } from '../../components/field.js';
import { useAnswer } from '../../data/use-answer.js';
import { useViewPart } from '../../data/use-view-part.js';
import { corridorName } from '../../figures/corridor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { checkAddress, chosenBatch, chosenEntry, unlistedSequence } from './chosen.js';
import type { Memories } from './memory.js';
import styles from './proof.module.css';
import { batch as batchOf, choices, entries } from './questions.js';
import type { TrustedKeys } from './trust.js';
import { useAreChecksMissing } from './use-checks.js';
import { Verification } from './verification.js';

/** Any score that was published, and the check of it. */
export function VerifyCard(props: {
  health: PublisherHealth;
  anchorId: string;
  trust: TrustedKeys;
  memories: Memories;
}) {
  const { t } = useLanguage();
  const { latest, reason } = props.health;
  return (
    <Card title={t('proof.verify')}>
      {latest === null ? (
        <Empty title={t('proof.nothing')}>
          <p>{t(reason === 'no_key' ? 'proof.nothingOff' : 'proof.nothingYet')}</p>
        </Empty>
      ) : (
        <Choosing {...props} />
      )}
    </Card>
  );
}

function Choosing(props: Parameters<typeof VerifyCard>[0]) {
  const { anchorId, trust, memories } = props;
  const { t, locale, formats } = useLanguage();
  const { route } = useLocation();
  const [batch, setBatch] = useViewPart('batch', '');
  const [corridor, setCorridor] = useViewPart('corridor', '');
  const [check] = useViewPart('check', '');
  const [run, setRun] = useState(0);
  const canCheck = !useAreChecksMissing();
  const choice = useAnswer(choices());
  const unlisted = choice.value && unlistedSequence(choice.value, batch);
  const older = useAnswer(unlisted === undefined ? undefined : batchOf(unlisted)).value;
  const batches = choice.value && [...choice.value, ...(older ? [older] : [])];
  const offered = batches && chosenBatch(batches, batch);
  const listed = useAnswer(offered?.sequence === undefined ? undefined : entries(offered.sequence));
  const entry = listed.value && chosenEntry(listed.value.items, { anchorId, corridor });
  const wanted = offered?.sequence !== undefined &&
    entry !== undefined && { sequence: offered.sequence, anchor: entry.anchorId, corridor: entry.corridor };
  const address = wanted === false ? undefined : checkAddress(wanted, location.search);
  // The address names what is checked, even if a link left it open, so that a newer batch does not replace it.
  useEffect(() => {
    if (check !== '' && address !== undefined) route(address, true);
  }, [check, address]);

  function toAnchor(id: string) {
    const named = corridor.toLowerCase();
    const isThere = listed.value?.items.some((card) => card.anchorId === id && card.corridor === named);
    if (isThere !== true) setCorridor('');
    route(`/proof/${encodeURIComponent(id)}${location.search}`, true);
  }

  return (
    <AnswerView answer={choice} lines={2}>
      {() =>
        offered?.sequence === undefined ? (
          <Empty title={t('proof.nothing')} />
        ) : (
          <>
            <p class={styles.soft}>{t('proof.verifyLead')}</p>
            <form
              class={styles.choices}
              onSubmit={(event) => {
                event.preventDefault();
                if (address !== undefined) route(address, true);
                setRun((count) => count + 1);
              }}
            >
              <Field label={t('proof.batch')}>
                {(ids) => (
                  <select
                    {...ids}
                    value={String(offered.sequence)}
                    onChange={(event) => setBatch(event.currentTarget.value)}
                  >
                    {offered.batches.map(({ sequence, createdAt }) => (
                      <option key={sequence} value={String(sequence)}>
                        {t('proof.number', { sequence })}
                        {createdAt !== undefined && ` · ${formats.dateTime(createdAt)}`}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              <Field label={t('proof.anchor')}>
                {(ids) => (
                  <select
                    {...ids}
                    value={entry?.anchorId ?? ''}
                    disabled={entry === undefined}
                    onChange={(event) => toAnchor(event.currentTarget.value)}
                  >
                    {entry?.anchors.map((each) => (
                      <option key={each}>{each}</option>
                    ))}
                  </select>
                )}
              </Field>
              <Field label={t('proof.corridor')}>
                {(ids) => (
                  <select
                    {...ids}
                    value={entry?.corridor ?? ''}
                    disabled={entry === undefined}
                    onChange={(event) => setCorridor(event.currentTarget.value)}
                  >
                    {entry?.corridors.map((each) => (
                      <option key={each} value={each}>
                        {corridorName(each, locale)}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
              <Button type="submit" strong disabled={entry === undefined || !canCheck}>
                {t('proof.verifyNow')}
              </Button>
            </form>
            <AnswerView answer={listed} lines={1}>
              {() =>
                canCheck &&
                check !== '' &&
                wanted !== false && (
                  <Verification
                    key={`${wanted.sequence} ${wanted.anchor} ${wanted.corridor} ${run}`}
                    wanted={wanted}
                    trust={trust}
                    memories={memories}
                  />
                )
              }
            </AnswerView>
          </>
        )
      }
    </AnswerView>
  );
}
