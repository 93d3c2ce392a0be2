import { useNoticedAction } from '../action.ts';
import type { NotFoundAddress } from '../api-types.ts';
import { call } from '../client.ts';
import { day, number, withoutScheme } from '../format.ts';
import { notify } from '../notices.ts';
import { newLinkAt } from '../pages/links/prefilled.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ShortText } from '../parts/link-heading.tsx';
import { StackingTable } from '../parts/stacking-table.tsx';
import { setup } from '../session.ts';
import { pageOf, shortOf } from '../short-links.ts';

export function NotFoundList({ addresses }: { addresses: readonly NotFoundAddress[] }) {
  return (
    <div class="panel not-found">
      <StackingTable columns={['Address', 'Visits', 'Last visit']}>
        {addresses.map((address) => (
          <AddressRow key={address.url} address={address} />
        ))}
      </StackingTable>
    </div>
  );
}

function AddressRow({ address }: { address: NotFoundAddress }) {
  const { domain, suffix, visits, last_day, similar } = address;
  const host = withoutScheme(domain);
  const isServiceDomain = host === setup.value?.default_domain;
  const addAlias = useNoticedAction(
    async ({ id, suffix: targetSuffix }: NonNullable<NotFoundAddress['similar']>) => {
      await call('PATCH /api/v1/link/{id}', { params: { id }, body: { add_aliases: [suffix] } });
      notify(`${shortOf(address)} now leads where /${targetSuffix} does.`);
    },
    'not found',
    'links',
    `link ${similar?.id}`,
  );
  return (
    <tr>
      <td>
        <ShortText link={address} />
        {similar && (
          <p class="small soft wrapping">
            <span>
              Did they mean <a href={pageOf(similar)}>/{similar.suffix}</a>?
            </span>
            <Button
              isSlim
              disabled={addAlias.isRunning.value}
              aria-label={`Let ${shortOf(address)} lead to /${similar.suffix}`}
              onClick={() => void addAlias.run(similar)}
            >
              Create as alias
            </Button>
          </p>
        )}
      </td>
      <td data-name="Visits">{number(visits)}</td>
      <td data-name="Last visit">{day(`${last_day}T00:00`)}</td>
      <td class="number">
        <a
          class="button slim"
          href={newLinkAt(isServiceDomain ? '' : host.replace(/:\d+$/, ''), suffix)}
          aria-label={`Make this link: ${shortOf(address)}`}
        >
          Make this link
        </a>
      </td>
    </tr>
  );
}

/** `canSeeSome`: whether there are domains whose visits the user may see. */
export function NoneFound({ canSeeSome }: { canSeeSome: boolean }) {
  if (canSeeSome)
    return (
      <Empty title="Everyone found a link">
        <p>No address without a link was requested in this period.</p>
      </Empty>
    );
  return (
    <Empty title="Only for custom domains">
      <p>
        On {setup.value?.default_domain} others have links too. With a domain of your own you see here what
        people mistyped on it.
      </p>
      <a class="button" href="/app/domains">
        Add a domain
      </a>
    </Empty>
  );
}
