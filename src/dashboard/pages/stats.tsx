import { Page } from '../parts/page.tsx';
import { queryWith } from '../query-string.ts';
import { search } from '../router.ts';
import { StatsBoard } from '../stats/board.tsx';
import { chosenIn } from '../stats/chosen.ts';
import { HitFeed } from '../stats/hit-feed.tsx';
import { NotFoundAddresses } from '../stats/not-found.tsx';

const views = [
  { view: null, name: 'Overview', title: 'Statistics' },
  { view: 'live', name: 'Live', title: 'Live' },
  { view: 'not-found', name: 'Not found', title: 'Addresses without a link' },
] as const;

/** The statistics of all links, their hits live, and requested addresses without a link. */
export function StatsPage() {
  const requestedView = new URLSearchParams(search.value).get('view');
  const shown = views.find(({ view }) => view === requestedView) ?? views[0];
  return (
    <Page title={shown.title} isTitleUnseen>
      <nav class="tabs" aria-label="Statistics">
        {views.map(({ view, name }) => (
          <a
            key={name}
            href={`/app/stats${queryWith(search.value, { view })}`}
            aria-current={shown.view === view ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      {shown.view === 'live' && <HitFeed scope={{ kind: 'all', chosen: chosenIn(search.value) }} />}
      {shown.view === 'not-found' && <NotFoundAddresses />}
      {shown.view === null && <StatsBoard scope={{ kind: 'all' }} />}
    </Page>
  );
}
