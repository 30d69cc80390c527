import type { ComponentChildren } from 'preact';
import { useLanguage } from '../../i18n/language.js';

/** Where a board is shown: `embed` is another site's page, in which links open the service in a new tab. */
export type BoardPlace = 'page' | 'embed';

/** A link to the page of an anchor. */
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
