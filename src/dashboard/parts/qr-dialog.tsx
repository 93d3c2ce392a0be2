import type { Link } from '../api-types.ts';
import { readableUrl, shortOf } from '../short.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { QrDownloads } from './qr-downloads.tsx';
import { asAddress, lookOf } from './qr-picture.ts';

/** The saved code, large enough to be scanned off the screen. */
export function QrDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const short = shortOf(link);
  return (
    <Dialog title={`QR code of ${short}`} onClose={onClose} class="qr-dialog">
      <img
        class="qr"
        src={asAddress(link.qr_code_svg)}
        alt={`QR code of ${short}`}
        width={320}
        height={320}
      />
      <QrDownloads link={link} svg={link.qr_code_svg} look={lookOf(link)} />
      <div class="actions">
        <CopyButton text={readableUrl(link)} what="link" />
        <Button onClick={onClose} data-focus>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
