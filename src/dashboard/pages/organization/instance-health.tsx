import type { Finding, InstanceHealth as Health } from '../../api-types.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { StateChip } from '../../parts/state-chip.tsx';
import { type Query, useQuery } from '../../queries.ts';

const names: Record<Finding['check'], string> = {
  settings: 'Settings',
  disk: 'Disk',
  clock: 'Clock',
  dns: 'DNS',
  certificate: 'Certificate',
  address: 'Address and proxies',
  database: 'Database',
  key: 'Secret key',
  mail: 'Mail',
  backlog: 'Waiting clicks',
  backup: 'Backup',
};

const states = {
  ok: { word: 'Well', tone: 'good', icon: 'check' },
  notice: { word: 'Notice', tone: 'warn', icon: 'warning' },
  problem: { word: 'Wrong', tone: 'bad', icon: 'warning' },
} as const;

const order: readonly Finding['state'][] = ['problem', 'notice', 'ok'];

/** For administrators of the organization that runs the service; others are not shown it. */
export function InstanceHealth() {
  const query = useQuery('instance health', () => call('GET /api/v1/instance/health'));
  return (
    <Section
      title="This service"
      about="The same checks as the command “doctor”. Only administrators of this organization see this."
      actions={
        <>
          <a class="button slim" href="/app/organization/nodes">
            Nodes
          </a>
          <CheckAgain query={query} />
        </>
      }
      isFlush
    >
      <Loaded query={query}>{(health) => <Findings health={health} />}</Loaded>
    </Section>
  );
}

export const CheckAgain = ({ query }: { query: Pick<Query<unknown>, 'isLoading' | 'reload'> }) => (
  <Button icon="refresh" isSlim disabled={query.isLoading.value} onClick={() => void query.reload()}>
    Check again
  </Button>
);

function Findings({ health }: { health: Health }) {
  const findings = order.flatMap((state) => health.findings.filter((finding) => finding.state === state));
  return (
    <ul class="rows">
      {findings.map(({ check, state, found, todo }) => (
        <li key={`${check} ${found}`}>
          <div class="who">
            <p>{names[check]}</p>
            <p class="soft small">{found}</p>
            {todo && <p class="small">{todo}</p>}
          </div>
          <StateChip {...states[state]} />
        </li>
      ))}
    </ul>
  );
}
