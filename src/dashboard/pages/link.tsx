import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Link } from '../api-types.ts';
import { call } from '../client.ts';
import { number } from '../format.ts';
import { lazy } from '../lazy.tsx';
import { Empty } from '../parts/empty.tsx';
import { Loaded, Page } from '../parts/page.tsx';
import { useQuery } from '../queries.ts';
import { guardLeaving, navigate } from '../router.ts';
import { shortOf } from '../short-links.ts';
import { useShortcuts } from '../shortcuts.ts';
import { UnlessQuiet } from '../stats/unless-quiet.tsx';
import { useWhenVisibleAgain } from '../visibility.ts';
import { Conflict } from './link/conflict.tsx';
import { Details } from './link/details.tsx';
import { fieldsOn, labels } from './link/fields.ts';
import { type LinkForm, useLinkForm } from './link/form.ts';
import { LinkAbout, LinkActions } from './link/head.tsx';
import { SaveBar } from './link/save-bar.tsx';
import { countOpen, useScheduled } from './link/scheduled/query.ts';
import { PageNotFound } from './page-not-found.tsx';

const StatsBoard = lazy(() => import('../stats/board.tsx').then((part) => part.StatsBoard));
const HitFeed = lazy(() => import('../stats/hit-feed.tsx').then((part) => part.HitFeed));
const Rules = lazy(() => import('./link/rules/rules.tsx').then((part) => part.Rules));
const History = lazy(() => import('./link/history/history.tsx').then((part) => part.History));
const Scheduled = lazy(() => import('./link/scheduled/scheduled.tsx').then((part) => part.Scheduled));
const Webhook = lazy(() => import('./link/webhook.tsx').then((part) => part.Webhook));

/** The page of one link. */
export function LinkPage({ id, tab }: { id: string; tab: string }) {
  const query = useQuery(`link ${id}`, () => call('GET /api/v1/link/{id}', { params: { id } }));
  const link = query.data.value;
  useWhenVisibleAgain(() => void query.reload());
  if (!tabs.some((known) => known.tab === tab)) return <PageNotFound />;
  if (link) return <OneLink id={id} link={link} tab={tab} />;
  const isMissing = [400, 404].includes(query.error.value?.status ?? 0);
  return (
    <Page title="Link" isTitleUnseen>
      {isMissing ? (
        <Empty title="There is no such link">
          <p>
            It may have been deleted, or belong to another organization.{' '}
            <a href="/app/links/deleted">Deleted links</a> can be restored for 30 days.
          </p>
          <a class="button" href="/app">
            Show all links
          </a>
        </Empty>
      ) : (
        <Loaded query={query} height={480}>
          {() => null}
        </Loaded>
      )}
    </Page>
  );
}

function unsavedSentenceOf({ changed, link }: LinkForm): string | null {
  if (changed.length === 0) return null;
  const what = changed.map((name) => labels[name].toLowerCase()).join(', ');
  return `Changes to ${shortOf(link)} are not saved: ${what}.`;
}

function useGuard(id: string, unsavedSentence: string | null): void {
  // Unsaved changes are kept on all tabs.
  const lossOnWay = (to?: string) =>
    tabs.some(({ tab }) => tabPath(id, tab) === to) ? null : unsavedSentence;
  // Before the next frame: a user who follows a link as soon as it is saved isn't asked.
  useLayoutEffect(() => guardLeaving(lossOnWay), [id, unsavedSentence]);
}

function OneLink({ id, link, tab }: { id: string; link: Link; tab: string }) {
  const form = useLinkForm(link);
  useGuard(id, unsavedSentenceOf(form));
  useShortcuts([
    { key: 'Ctrl S', description: 'Save changes', act: () => void form.save() },
    { key: 'Ctrl Enter', description: 'Save changes', act: () => void form.save() },
    ...tabs.map(({ tab: to, name }, index) => ({
      key: String(index + 1),
      description: `Show ${name.toLowerCase()} of the link`,
      act: () => navigate(tabPath(id, to)),
    })),
  ]);
  const conflict = form.conflict.value;
  const scope = { kind: 'link', link } as const;
  return (
    <Page title={shortOf(link)} about={<LinkAbout link={link} />} actions={<LinkActions link={link} />}>
      <Tabs
        id={id}
        current={tab}
        ruleCount={form.fields.rules.length}
        scheduled={countOpen(useScheduled(link))}
      />
      {tab === 'details' && <Details form={form} />}
      {tab === 'rules' && <Rules form={form} />}
      {(tab === 'stats' || tab === 'visits') && (
        <UnlessQuiet key={tab} link={link}>
          {tab === 'stats' ? <StatsBoard scope={scope} /> : <HitFeed scope={scope} />}
        </UnlessQuiet>
      )}
      {tab === 'webhook' && <Webhook form={form} />}
      {tab === 'history' && <History link={link} onRestored={form.continueOn} />}
      {tab === 'scheduled' && <Scheduled link={link} />}
      <SaveBar form={form} shown={fieldsOn(tab)} />
      {conflict && <Conflict form={form} theirs={conflict} />}
    </Page>
  );
}

const tabs = [
  { tab: 'details', name: 'Details' },
  { tab: 'rules', name: 'Rules' },
  { tab: 'stats', name: 'Statistics' },
  { tab: 'visits', name: 'Visits' },
  { tab: 'webhook', name: 'Webhook' },
  { tab: 'history', name: 'History' },
  { tab: 'scheduled', name: 'Scheduled' },
] as const;

const tabPath = (id: string, tab: string): string =>
  tab === 'details' ? `/app/links/${id}` : `/app/links/${id}/${tab}`;

interface TabsProps {
  readonly id: string;
  readonly current: string;
  readonly ruleCount: number;
  /** How many changes are pending. */
  readonly scheduled: number;
}

function Tabs({ id, current, ruleCount, scheduled }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current, scheduled]);
  return (
    <nav class="tabs" aria-label="Link" ref={row}>
      {tabs.map(({ tab, name }) => (
        <a key={tab} href={tabPath(id, tab)} aria-current={tab === current ? 'page' : undefined}>
          {name}
          {tab === 'rules' && ruleCount > 0 && <span class="soft"> {ruleCount}</span>}
          {tab === 'scheduled' && scheduled > 0 && <span class="soft"> {number(scheduled)}</span>}
        </a>
      ))}
    </nav>
  );
}
