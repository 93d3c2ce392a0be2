import type { Link } from '../../api-types.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { LinkHeading } from '../../parts/link-heading.tsx';
import { Pick } from '../../parts/pick.tsx';
import { SparkLine } from '../../parts/spark-line.tsx';
import { pageOf, readableUrl, shortOf } from '../../short.ts';
import { compact, counted } from '../../words.ts';
import { Marks } from './marks.tsx';
import { RowActions } from './row-actions.tsx';

interface RowProps {
  readonly link: Link;
  readonly isChosen: boolean;
  readonly onToggle: (upToHere: boolean) => void;
  readonly onQr: () => void;
  readonly onDelete: () => void;
}

const maxTags = 3;

export function Row({ link, isChosen, onToggle, onQr, onDelete }: RowProps) {
  const short = shortOf(link);
  const hidden = link.tags.slice(maxTags);
  return (
    <li class={isChosen ? 'link-row chosen' : 'link-row'} data-row={link.id}>
      <Pick what={short} isChosen={isChosen} onToggle={onToggle} />
      <LinkHeading link={link} href={pageOf(link)}>
        <CopyButton text={readableUrl(link)} what={short} isBare isSlim />
      </LinkHeading>
      <div class="row-labels">
        <Marks link={link} />
        {link.tags.slice(0, maxTags).map(({ id, name }) => (
          <a key={id} class="chip" href={`/app?tag=${id}`} title={`Links tagged ${name}`}>
            <span class="cut" dir="auto">
              {name}
            </span>
          </a>
        ))}
        {hidden.length > 0 && (
          <span class="soft small" title={hidden.map(({ name }) => name).join(', ')}>
            +{hidden.length}
          </span>
        )}
      </div>
      <RowActions link={link} onQr={onQr} onDelete={onDelete} />
      <div class="row-spark">{link.daily_clicks && <SparkLine days={link.daily_clicks} />}</div>
      <a
        class="row-clicks"
        href={`${pageOf(link)}/stats`}
        title={`${counted(link.clicks, 'click')}: statistics`}
      >
        {compact(link.clicks)} <span class="soft small">{link.clicks === 1 ? 'click' : 'clicks'}</span>
      </a>
    </li>
  );
}
