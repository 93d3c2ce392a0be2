import { navigate } from '../../router.ts';

export const tabs = [
  { tab: 'details', name: 'Details' },
  { tab: 'stats', name: 'Statistics' },
  { tab: 'visits', name: 'Visits' },
  { tab: 'webhook', name: 'Webhook' },
] as const;

export const tabPath = (id: string, tab: string): string =>
  tab === 'details' ? `/app/links/${id}` : `/app/links/${id}/${tab}`;

/** Unsaved changes stay from tab to tab, so a tab is left for another without a question. */
export function Tabs({ id, current }: { id: string; current: string }) {
  return (
    <nav class="tabs" aria-label="Link">
      {tabs.map(({ tab, name }) => (
        <a
          key={tab}
          href={tabPath(id, tab)}
          aria-current={tab === current ? 'page' : undefined}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            navigate(tabPath(id, tab), { anyway: true });
          }}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}
