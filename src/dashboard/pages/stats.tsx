import { Page } from '../parts/page.tsx';
import { queryWith } from '../query-string.ts';
import { search } from '../router.ts';
import { StatsBoard } from '../stats/board.tsx';
import { HitFeed } from '../stats/hit-feed.tsx';

/** The statistics of all links, and their hits live. */
export function StatsPage() {
  const isLive = new URLSearchParams(search.value).get('view') === 'live';
  const at = (view: string | null) => `/app/stats${queryWith(search.value, { view })}`;
  return (
    <Page title={isLive ? 'Live' : 'Statistics'} isTitleUnseen>
      <nav class="tabs" aria-label="Statistics">
        <a href={at(null)} aria-current={isLive ? undefined : 'page'}>
          Overview
        </a>
        <a href={at('live')} aria-current={isLive ? 'page' : undefined}>
          Live
        </a>
      </nav>
      {isLive ? <HitFeed scope={{ kind: 'all' }} /> : <StatsBoard scope={{ kind: 'all' }} />}
    </Page>
  );
}
