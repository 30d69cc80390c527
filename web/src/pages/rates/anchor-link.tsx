import type { ComponentChildren } from 'preact';
import { useLanguage } from '../../i18n/language.js';

/** Where a board stands: in somebody else's page, links open the service in a tab of its own. */
export type BoardPlace = 'page' | 'embed';

/** To the page of an anchor. */
export function AnchorLink(props: { anchorId: string; place: BoardPlace; children: ComponentChildren }) {
  const { anchorId, place, children } = props;
  const { locale } = useLanguage();
  const path = `/anchors/${anchorId}`;
  if (place === 'page') return <a href={path}>{children}</a>;
  return (
    <a href={`${path}?lang=${locale}`} target="_blank" rel="noopener">
      {children}
    </a>
  );
}
