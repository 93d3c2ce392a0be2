import type { Link } from '../../api-types.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icons.tsx';
import { pageOf, shortOf } from './short.ts';

const pictureOf = ({ qr_code_svg }: Link): string => `data:image/svg+xml,${encodeURIComponent(qr_code_svg)}`;

export function QrPicture({ link, size }: { link: Link; size: number }) {
  return (
    <img
      class="qr-picture"
      src={pictureOf(link)}
      alt={`QR code of ${shortOf(link)}`}
      width={size}
      height={size}
    />
  );
}

/** Large enough to be scanned from the screen. */
export function QrDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  return (
    <Dialog title={`QR code of ${shortOf(link)}`} onClose={onClose}>
      <div class="qr-large">
        <QrPicture link={link} size={240} />
      </div>
      <div class="actions">
        <CopyButton text={link.url} what="short link" />
        <a class="button" href={pictureOf(link)} download={`${link.suffix.replaceAll('/', '-')}.svg`}>
          <Icon name="download" />
          Download SVG
        </a>
        <Button onClick={onClose}>Close</Button>
      </div>
      <p class="soft small">
        Colours, PNG and other sizes are on <a href={pageOf(link)}>the link's page</a>.
      </p>
    </Dialog>
  );
}
