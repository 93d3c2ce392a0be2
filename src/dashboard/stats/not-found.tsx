import { call } from '../client.ts';
import { counted } from '../format.ts';
import { domainFilter, useOwnDomains } from '../own-domains.ts';
import { Button } from '../parts/button.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { SelectField } from '../parts/field.tsx';
import { useQuery } from '../queries.ts';
import { search, setQuery } from '../router.ts';
import { me } from '../session.ts';
import { usePages } from '../use-pages.ts';
import { usePrevious } from '../use-previous.ts';
import { NoneFound, NotFoundList } from './not-found-list.tsx';

const periods = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last 365 days' },
] as const;
const defaultPeriod = periods[1].value;
const perPage = 50;

/** Requested addresses without a link. */
export function NotFoundAddresses() {
  const parameters = new URLSearchParams(search.value);
  const days = periods.find(({ value }) => value === parameters.get('days'))?.value ?? defaultPeriod;
  const domain = parameters.get('domain') ?? '';
  const { count, query, showMore } = usePages(`not found, ${days} days, ${domain}`, (cursor) =>
    call('GET /api/v1/not_found', { query: { days, limit: perPage, cursor, ...(domain && { domain }) } }),
  );
  const { data: pages } = usePrevious(query);
  const last = pages?.at(-1);
  const addresses = pages?.flatMap((page) => page.addresses);
  const error = query.error.value;
  const { areLoaded, own } = useOwnDomains();
  const organization = useQuery('organization', () => call('GET /api/v1/organization'));
  const canSeeService = me.value?.role === 'administrator' && organization.data.value?.runs_instance === true;
  const narrow = (changes: Readonly<Record<string, string | null>>) => {
    count.value = 1;
    setQuery(changes);
  };
  return (
    <div class="stack">
      <p class="soft">
        Addresses that people requested without finding a link: mistyped, misprinted, or deleted since. Bots
        and scanners are excluded.
      </p>
      <div class="not-found-toolbar">
        {own.length > 0 && (
          <SelectField
            label="Domain"
            isLabelUnseen
            value={domain}
            choices={canSeeService ? domainFilter(own) : [{ value: '', label: 'Any domain' }, ...own]}
            onChoice={(chosen) => narrow({ domain: chosen || null })}
          />
        )}
        <SelectField
          label="Time"
          isLabelUnseen
          value={days}
          choices={periods}
          onChoice={(chosen) => narrow({ days: chosen === defaultPeriod ? null : chosen })}
        />
      </div>
      <ErrorBox error={error} onRetry={() => void query.reload()} />
      {addresses === undefined || !areLoaded ? (
        !error && <div class="panel skeleton" style={{ height: '320px' }} aria-busy="true" />
      ) : addresses.length === 0 ? (
        <NoneFound canSeeSome={own.length > 0 || canSeeService} />
      ) : (
        <NotFoundList addresses={addresses} />
      )}
      {last && last.other_visits > 0 && (
        <p class="soft small">
          And {counted(last.other_visits, 'visit')} to further addresses, most of them requested once.
        </p>
      )}
      {last?.next && (
        <Button disabled={query.isLoading.value} onClick={showMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
