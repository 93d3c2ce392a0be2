import type { Link } from '../../api-types.ts';
import { problemWords } from '../../destination-problems.ts';
import { compact, counted, hasPassed, instant } from '../../format.ts';
import { notify } from '../../notices.ts';
import { IconButton } from '../../parts/button.tsx';
import { CopyButton, copyText } from '../../parts/copy.tsx';
import { Icon, type IconName } from '../../parts/icons.tsx';
import { LinkHeading } from '../../parts/link-heading.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { RowCheckbox } from '../../parts/row-checkbox.tsx';
import { SparkLine } from '../../parts/spark-line.tsx';
import { pageOf, readableUrl, shortOf } from '../../short-links.ts';

interface RowProps {
  readonly link: Link;
  readonly isChosen: boolean;
  readonly onToggle: (upToHere: boolean) => void;
  readonly onQr: () => void;
  readonly onArchive: () => void;
  readonly onDelete: () => void;
}

const maxTags = 3;

export function Row({ link, isChosen, onToggle, onQr, onArchive, onDelete }: RowProps) {
  const short = shortOf(link);
  const hidden = link.tags.slice(maxTags);
  return (
    <li class={isChosen ? 'link-row chosen' : 'link-row'} data-row={link.id}>
      <RowCheckbox what={short} isChosen={isChosen} onToggle={onToggle} />
      <LinkHeading link={link} href={pageOf(link)}>
        <CopyButton text={readableUrl(link)} what={short} isBare isSlim />
      </LinkHeading>
      <div class="row-labels wrapping">
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
      <RowActions link={link} onQr={onQr} onArchive={onArchive} onDelete={onDelete} />
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

async function copy(link: Link): Promise<void> {
  if (await copyText(readableUrl(link))) notify(`${shortOf(link)} copied.`);
  else
    notify(`This browser doesn't let pages copy. The short link is ${readableUrl(link)}`, { isError: true });
}

type RowActionsProps = Pick<RowProps, 'link' | 'onQr' | 'onArchive' | 'onDelete'>;

/** The actions on one link; on a phone they are all in the menu. */
function RowActions({ link, onQr, onArchive, onDelete }: RowActionsProps) {
  const short = shortOf(link);
  return (
    <div class="row-actions">
      <IconButton icon="qr" label={`QR code of ${short}`} isSlim onClick={onQr} />
      <a class="button plain icon slim" href={pageOf(link)} aria-label={`Edit ${short}`} title="Edit link">
        <Icon name="edit" />
      </a>
      <Menu label={`More about ${short}`} button={<Icon name="more" />} class="button plain icon slim">
        <MenuItem icon="copy" label="Copy link" onClick={() => void copy(link)} />
        <MenuItem icon="qr" label="Show QR code" onClick={onQr} />
        <a href={link.url} target="_blank" rel="noreferrer">
          <Icon name="open" />
          Visit link
        </a>
        <a href={pageOf(link)}>
          <Icon name="edit" />
          Edit link
        </a>
        <a href={`${pageOf(link)}/stats`}>
          <Icon name="chart" />
          Show statistics
        </a>
        <MenuItem
          icon="archive"
          label={link.archived ? 'Take out of the archive' : 'Archive link'}
          onClick={onArchive}
        />
        <hr />
        <MenuItem icon="trash" label="Delete link" isDanger onClick={onDelete} />
      </Menu>
    </div>
  );
}

interface Mark {
  readonly icon: IconName;
  readonly word: string;
  readonly tooltip: string;
  readonly isWarning?: boolean;
  /** The list of links with this mark. */
  readonly href?: string;
}

function marksOf(link: Link): readonly Mark[] {
  const { has_password, start_date, expiration_date, click_limit, clicks_left } = link;
  const { rules, captcha, bot_protection, disabled, archived, on_paper, statistics } = link;
  const problems = problemWords(link);
  const marks: readonly (Mark | false)[] = [
    disabled && {
      icon: 'stop',
      word: 'Disabled',
      tooltip: 'Visitors see that the link has ended.',
      isWarning: true,
    },
    start_date !== null &&
      !hasPassed(start_date) && {
        icon: 'clock',
        word: 'Not started',
        tooltip: `It leads to its destination from ${instant(start_date)} on.`,
      },
    hasPassed(expiration_date) && {
      icon: 'clock',
      word: 'Expired',
      tooltip: `It led to its destination until ${instant(expiration_date)}.`,
      isWarning: true,
    },
    click_limit !== null &&
      clicks_left === 0 && {
        icon: 'stop',
        word: 'No clicks left',
        tooltip: `It led to its destination for ${counted(click_limit, 'click')}.`,
        isWarning: true,
      },
    problems.length > 0 && {
      icon: 'warning',
      word: problems.join(', '),
      tooltip: 'Found twice by the destination watch. Show all such links.',
      isWarning: true,
      href: '/app?has_problem=true',
    },
    on_paper && {
      icon: 'paper',
      word: 'On paper',
      tooltip: 'Its address or code is in print. Show all such links.',
      href: '/app?on_paper=true',
    },
    !statistics && {
      icon: 'unseen',
      word: 'No statistics',
      tooltip: 'Nothing about its visitors is recorded except their number.',
    },
    archived && { icon: 'archive', word: 'Archived', tooltip: "It works, and isn't in the list." },
    rules.length > 0 && {
      icon: 'branch',
      word: counted(rules.length, 'rule'),
      tooltip: 'Some visitors are redirected elsewhere. Show the rules.',
      href: `${pageOf(link)}/rules`,
    },
    has_password && { icon: 'lock', word: 'Password', tooltip: 'Visitors are asked for a password.' },
    captcha && { icon: 'person', word: 'Captcha', tooltip: 'Visitors prove that they are people.' },
    bot_protection && { icon: 'shield', word: 'Bot protection', tooltip: 'Known bots are not redirected.' },
  ];
  return marks.filter((mark) => mark !== false);
}

/** The state of a link, and what visitors encounter before the destination. */
function Marks({ link }: { link: Link }) {
  return (
    <>
      {marksOf(link).map(({ icon, word, tooltip, isWarning, href }) => (
        <a key={word} class={isWarning ? 'mark warn' : 'mark'} {...(href && { href })} title={tooltip}>
          <Icon name={icon} size={14} />
          {word}
        </a>
      ))}
    </>
  );
}
