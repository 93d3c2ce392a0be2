import type { InstanceNode } from '../api-types.ts';
import { call } from '../client.ts';
import { counted, instant, number, since } from '../format.ts';
import { Loaded, Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { StateChip } from '../parts/state-chip.tsx';
import { useQuery } from '../queries.ts';
import { CheckAgain } from './organization/instance-health.tsx';

/** For administrators of the organization that runs the service; the API refuses others. */
export function NodesPage() {
  const query = useQuery('instance nodes', () => call('GET /api/v1/instance/node'));
  return (
    <>
      <p class="back soft small">
        <a href="/app/organization">Organization</a>
      </p>
      <Page title="Nodes" about="The nodes of this service, as each reports every ten seconds.">
        <div class="sections">
          <Section
            title="All nodes"
            about="A node is a data folder with the processes that use it. Visitors’ clicks are in its journal until they are in the database."
            actions={<CheckAgain query={query} />}
            isFlush
          >
            <Loaded query={query}>{({ nodes }) => <Nodes nodes={nodes} />}</Loaded>
          </Section>
        </div>
      </Page>
    </>
  );
}

function Nodes({ nodes }: { nodes: readonly InstanceNode[] }) {
  const newest = nodes.flatMap(({ is_gone, versions }) => (is_gone ? [] : versions));
  const differs = new Set(newest).size > 1;
  return (
    <ul class="rows">
      {nodes.map((node) => (
        <li key={node.node}>
          <div class="who">
            <p>
              {node.host_name} <span class="soft small">{node.node}</span>
            </p>
            <p class="soft small">
              Version {node.versions.join(' and ')}
              {node.processes > 1 && `, ${counted(node.processes, 'process', 'processes')}`}, since{' '}
              {instant(node.started_at)}
            </p>
            <p class={isStranded(node) ? 'small' : 'soft small'}>{backlogOf(node)}</p>
            {isStranded(node) && (
              <p class="small">
                Start it again, or mount its data folder on another node and run <code>linnet fold DIR</code>{' '}
                there.
              </p>
            )}
          </div>
          {node.is_gone ? (
            <StateChip
              word={`Seen ${since(node.seen_at)}`}
              tone={isStranded(node) ? 'bad' : 'warn'}
              icon="warning"
            />
          ) : differs ? (
            <StateChip word="Other versions run" tone="warn" icon="warning" />
          ) : (
            <StateChip word="Here" tone="good" icon="check" />
          )}
        </li>
      ))}
    </ul>
  );
}

const isStranded = ({ is_gone, waiting_clicks, waiting_bytes }: InstanceNode): boolean =>
  is_gone && (waiting_clicks > 0 || waiting_bytes > 0);

function backlogOf({ is_gone, waiting_clicks, waiting_since, waiting_bytes }: InstanceNode): string {
  if (waiting_clicks === 0 && waiting_bytes === 0)
    return is_gone
      ? 'All of its clicks were in the database when it was last seen. Later ones wait in its data folder: start it again before that is deleted.'
      : 'All of its clicks are in the database.';
  const size = `${number(Math.ceil(waiting_bytes / 1_000))} KB`;
  if (waiting_clicks === 0) return `${size} of earlier clicks are not in the database yet.`;
  const clicks = counted(waiting_clicks, 'click');
  if (is_gone) return `At least ${clicks} (${size}) wait in its journal.`;
  return `${clicks} (${size}) wait in its journal${waiting_since === null ? '' : `, the oldest since ${instant(waiting_since)}`}.`;
}
