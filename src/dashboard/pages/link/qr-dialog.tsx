import type { Link } from '../../api-types.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { QrDownloads } from './qr-downloads.tsx';
import { asAddress, lookOf } from './qr-picture.ts';

/** The saved code, large enough to be scanned off the screen. */
export function QrDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  return (
    <Dialog title="QR code" onClose={onClose} class="qr-dialog">
      <img
        class="qr"
        src={asAddress(link.qr_code_svg)}
        alt={`QR code of ${link.url}`}
        width={320}
        height={320}
      />
      <QrDownloads link={link} svg={link.qr_code_svg} look={lookOf(link)} />
      <div class="actions">
        <Button onClick={onClose} data-focus>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
