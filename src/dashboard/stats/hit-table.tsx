import type { Click } from '../api-types.ts';
import { call } from '../client.ts';
import { Empty } from '../parts/empty.tsx';
import { ShortText } from '../parts/link-heading.tsx';
import { useQuery } from '../queries.ts';
import { readableUrl, shortOf } from '../short-links.ts';
import { agentOf, isClick, kindOf, originsOf, reasonOf, timeOf } from './hit-words.ts';
import type { Scope } from './scope.ts';
import { nounOf, type ShownClass } from './shown-class.ts';
import { nameOf } from './value-names.ts';

export function HitTable({
  hits,
  total,
  scope,
  shown,
}: {
  hits: readonly Click[];
  /** Of all hits that were counted, including those that are no longer kept one by one. */
  total: number;
  scope: Scope;
  shown: ShownClass;
}) {
  if (hits.length === 0 && total > 0)
    return (
      <Empty title={`No individual ${nounOf(shown)}s are left`}>
        <p>They are too old to be listed one by one. Their numbers are in the statistics for good.</p>
      </Empty>
    );
  if (hits.length === 0)
    return (
      <Empty title={shown === 'click' ? 'No clicks yet' : 'None of this kind yet'}>
        <p>Leave this page open and visit a short link: it appears here within a second.</p>
      </Empty>
    );
  const showsAllLinks = scope.kind === 'all';
  return (
    <div class="panel">
      <table class={showsAllLinks ? 'table stacking hits of-all' : 'table stacking hits'}>
        <caption class="unseen">Hits, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {showsAllLinks && <th scope="col">Link</th>}
            <th scope="col">Visit</th>
            <th scope="col">Visitor</th>
            <th scope="col">Came from</th>
          </tr>
        </thead>
        <tbody>
          {hits.map((hit) => (
            <Row key={hit.id} hit={hit} showsAllLinks={showsAllLinks} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ hit, showsAllLinks }: { hit: Click; showsAllLinks: boolean }) {
  const { day, time } = timeOf(hit.clicked_at);
  const reason = reasonOf(hit);
  const from = originsOf(hit);
  return (
    <tr data-hit={hit.id}>
      <td class="hit-time whole">
        <time dateTime={hit.clicked_at}>
          {time} <span class="soft small">{day}</span>
        </time>
      </td>
      {showsAllLinks && (
        <td class="hit-link">
          <LinkName id={hit.link_id} />
        </td>
      )}
      <td class="hit-kind">
        <span class={isClick(hit) ? undefined : 'chip whole'}>{kindOf(hit)}</span>
        {reason && <p class="soft small">{reason}</p>}
      </td>
      <td>
        {hit.city && `${hit.city}, `}
        {nameOf('country', hit.country)}
        <p class="soft small">
          {agentOf(hit)}
          {hit.language && `, ${nameOf('language', hit.language)}`}
        </p>
      </td>
      <td>
        {from.length === 0 && <span class="hit-none soft">{nameOf('referrer', null)}</span>}
        {from.map((text, index) => (
          <p key={`${index} ${text}`} class={index === 0 ? 'cut' : 'cut soft small'} title={text}>
            <bdi>{text}</bdi>
          </p>
        ))}
      </td>
    </tr>
  );
}

/** A hit has the id of its link only; its address is loaded once. */
function LinkName({ id }: { id: number }) {
  const link = useQuery(`link-name ${id}`, () => call('GET /api/v1/link/{id}', { params: { id } }));
  const found = link.data.value;
  if (link.error.value?.status === 404 && !found) return <span class="soft">Link {id}, deleted</span>;
  return (
    <a
      href={`/app/links/${id}/stats`}
      aria-label={found && shortOf(found)}
      title={found && readableUrl(found)}
    >
      {found ? <ShortText link={found} /> : `Link ${id}`}
    </a>
  );
}
