import { AnswerView } from '../../components/answer-view.js';
import { useAnswer } from '../../data/use-answer.js';
import { siteOf } from '../../figures/anchor-name.js';
import { useLanguage } from '../../i18n/language.js';
import { anchorQuestion } from '../anchors/questions.js';

/** How a person goes on from an offer: at the anchor's own site, or by a wallet that knows the anchor. */
export function NextStep({ anchorId, corridor }: { anchorId: string; corridor: string }) {
  const { t } = useLanguage();
  const answer = useAnswer(anchorQuestion(anchorId));
  return (
    <AnswerView answer={answer} lines={2}>
      {({ homeDomain }) => (
        <>
          {homeDomain !== null && (
            <p>
              {t('rates.nextSite')}{' '}
              <a href={siteOf(homeDomain)} rel="noopener">
                {t('rates.nextSiteLink', { domain: homeDomain.replace(/^https?:\/\//, '') })}
              </a>
            </p>
          )}
          <p>
            {t('rates.nextWallet')}{' '}
            <a href={`/anchors/${anchorId}?show=start&corridor=${corridor}`}>{t('rates.nextWalletLink')}</a>
          </p>
        </>
      )}
    </AnswerView>
  );
}
