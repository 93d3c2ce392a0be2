import type { Link } from '../../api-types.ts';
import { say } from '../../notices.ts';
import { IconButton } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Menu } from '../../parts/menu.tsx';
import { pageOf, readableUrl, shortOf } from '../../short.ts';

interface RowActionsProps {
  readonly link: Link;
  readonly onQr: () => void;
  readonly onDelete: () => void;
}

async function copy(link: Link): Promise<void> {
  if (await copyText(readableUrl(link))) say(`${shortOf(link)} copied.`);
  else say(`This browser doesn't let pages copy. The short link is ${readableUrl(link)}`, { isError: true });
}

/** What can be done with one link; on a phone all of it is in the menu. */
export function RowActions({ link, onQr, onDelete }: RowActionsProps) {
  const short = shortOf(link);
  return (
    <div class="row-actions">
      <IconButton icon="qr" label={`QR code of ${short}`} isSlim onClick={onQr} />
      <a class="button plain icon slim" href={pageOf(link)} aria-label={`Edit ${short}`} title="Edit link">
        <Icon name="edit" />
      </a>
      <Menu label={`More about ${short}`} button={<Icon name="more" />} class="button plain icon slim">
        <button type="button" onClick={() => void copy(link)}>
          <Icon name="copy" />
          Copy link
        </button>
        <button type="button" onClick={onQr}>
          <Icon name="qr" />
          Show QR code
        </button>
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
        <hr />
        <button type="button" class="danger" onClick={onDelete}>
          <Icon name="trash" />
          Delete link
        </button>
      </Menu>
    </div>
  );
}
