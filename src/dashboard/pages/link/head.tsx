import { useSignal } from '@preact/signals';
import type { Link } from '../../api-types.ts';
import { problemWords } from '../../destination-problems.ts';
import { compact, day, hasPassed, instant, since, withoutScheme } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icons.tsx';
import { QrDialog } from '../../parts/qr-dialog.tsx';
import { StateChip } from '../../parts/state-chip.tsx';
import { nameOf, readableUrl } from '../../short-links.ts';
import { LinkMenu } from './link-menu.tsx';

/** The actions on the link itself. */
export function LinkActions({ link }: { link: Link }) {
  const isQrShown = useSignal(false);
  return (
    <>
      <CopyButton text={readableUrl(link)} what="link" />
      <a class="button" href={link.url} target="_blank" rel="noreferrer">
        <Icon name="open" />
        Visit
      </a>
      <Button icon="qr" onClick={setTo(isQrShown, true)}>
        <span>
          QR<span class="on-wide"> code</span>
        </span>
      </Button>
      <LinkMenu link={link} />
      {isQrShown.value && <QrDialog link={link} onClose={setTo(isQrShown, false)} />}
    </>
  );
}

/** Below the short link: its name, destination and clicks. */
export function LinkAbout({ link }: { link: Link }) {
  const name = nameOf(link);
  const isWeb = /^https?:/.test(link.destination_url);
  return (
    <span class="link-about">
      {name && (
        <bdi class="cut name" title={name}>
          {name}
        </bdi>
      )}
      <span class="leads beside">
        <Icon name="right" size={16} />
        {isWeb ? (
          <a
            class="cut"
            href={link.destination_url}
            target="_blank"
            rel="noreferrer"
            title={link.destination_url}
          >
            <bdi>{withoutScheme(link.destination_url)}</bdi>
          </a>
        ) : (
          <bdi class="cut">{link.destination_url}</bdi>
        )}
      </span>
      <span class="facts wrapping">
        <span>
          <strong>{compact(link.clicks)}</strong> {link.clicks === 1 ? 'click' : 'clicks'}
          {link.last_clicked_at && `, the latest ${since(link.last_clicked_at)}`}
        </span>
        <span title={instant(link.created_at)}>Created {day(link.created_at)}</span>
        {link.start_date && !hasPassed(link.start_date) && <span class="chip">Not started</span>}
        {hasPassed(link.expiration_date) && <span class="chip bad">Expired</span>}
        {link.clicks_left === 0 && <span class="chip bad">No clicks left</span>}
        {link.disabled && <StateChip word="Disabled" tone="bad" icon="stop" />}
        {problemWords(link).map((word) => (
          <StateChip key={word} word={word} tone="bad" icon="warning" />
        ))}
        {link.on_paper && <StateChip word="On paper" tone="" icon="paper" />}
        {!link.statistics && <StateChip word="No statistics" tone="" icon="unseen" />}
        {link.archived && <StateChip word="Archived" tone="" icon="archive" />}
      </span>
    </span>
  );
}
