import type { DestinationProblem, Organization } from '../../api-types.ts';
import { call } from '../../client.ts';
import { problemTexts } from '../../destination-problems.ts';
import { since, withoutScheme } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { useQuery } from '../../queries.ts';
import { setup } from '../../session.ts';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';

/** Whether the link's destinations are checked, and the results. */
export function WatchField({ form }: { form: LinkForm }) {
  const organization = useQuery('organization', () => call('GET /api/v1/organization'));
  const value = form.fields.watch_destination;
  return (
    <>
      <Problems form={form} />
      <SelectField
        label={labels.watch_destination}
        hint={hintOf(organization.data.value)}
        error={form.errorOf('watch_destination')}
        value={value === null ? '' : String(value)}
        choices={[
          { value: '', label: defaultLabel(organization.data.value) },
          { value: 'true', label: 'On' },
          { value: 'false', label: 'Off' },
        ]}
        onChoice={(choice) => form.set('watch_destination', choice === '' ? null : choice === 'true')}
      />
    </>
  );
}

const defaultLabel = (organization: Organization | undefined): string =>
  organization
    ? `As the organization: ${organization.watch_destinations ? 'on' : 'off'}`
    : 'As set in the organization';

const hintOf = (organization: Organization | undefined): string =>
  organization?.can_watch_destinations === false
    ? 'The operator of this service has turned it off.'
    : `Each destination is checked once a day. Problems found twice, an hour apart, are reported here${setup.value?.mail ? ' and by mail' : ''}.`;

function Problems({ form }: { form: LinkForm }) {
  const { destination_problems } = form.link;
  if (destination_problems.length === 0) return null;
  return (
    <ul class="stack close destination-problems" aria-label="Failing destinations">
      {destination_problems.map((found) => (
        <li key={found.url}>
          <Problem found={found} form={form} />
        </li>
      ))}
    </ul>
  );
}

function Problem({ found, form }: { found: DestinationProblem; form: LinkForm }) {
  const isMoved = found.problem === 'moved';
  const isMain = URL.parse(form.fields.destination_url)?.href === found.url;
  return (
    <>
      <p>
        <bdi class="whole">{withoutScheme(found.url)}</bdi> {problemTexts[found.problem].sentence}{' '}
        {isMoved && <bdi class="whole">{withoutScheme(found.detail)}</bdi>}
      </p>
      <p class="soft small">
        {!isMoved && `${found.detail} `}First found {since(found.since)}.
      </p>
      {isMoved && isMain && (
        <Button isSlim onClick={() => form.set('destination_url', found.detail)}>
          Use this address
        </Button>
      )}
    </>
  );
}
