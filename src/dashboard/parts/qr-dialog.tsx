import type { Link } from '../api-types.ts';
import { notify } from '../notices.ts';
import { markOnPaper } from '../on-paper.ts';
import { saveFile } from '../save-file.ts';
import { readableUrl, shortOf } from '../short-links.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { fileName } from './file-name.ts';
import { Icon } from './icons.tsx';
import { Menu, MenuItem } from './menu.tsx';
import { pngOf, pngSizes, type QrStyle, savedStyle, svgDataUrl } from './qr-picture.ts';

/** The saved code, large enough to be scanned from the screen. */
export function QrDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const short = shortOf(link);
  return (
    <Dialog title={`QR code of ${short}`} onClose={onClose} class="qr-dialog">
      <img
        class="qr"
        src={svgDataUrl(link.qr_code_svg)}
        alt={`QR code of ${short}`}
        width={320}
        height={320}
      />
      <QrDownloads link={link} svg={link.qr_code_svg} qrStyle={savedStyle(link)} />
      <div class="actions">
        <CopyButton text={readableUrl(link)} what="link" />
        <Button onClick={onClose} data-focus>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

/** Downloads the code as it is shown. */
export function QrDownloads({ link, svg, qrStyle }: { link: Link; svg: string; qrStyle: QrStyle }) {
  const name = fileName(link.suffix);
  const save = (file: Blob, downloadName: string) => {
    saveFile(file, downloadName);
    void markOnPaper(link);
  };
  const savePng = (size: number) =>
    pngOf(svg, size, qrStyle.background).then(
      (png) => save(png, `${name}-${size}.png`),
      () => notify('This browser could not draw the picture. Download it as SVG.', { isError: true }),
    );
  return (
    <div class="actions">
      <Button icon="download" onClick={() => save(new Blob([svg], { type: 'image/svg+xml' }), `${name}.svg`)}>
        Download SVG
      </Button>
      <Menu
        label="Download PNG"
        side="left"
        class="button"
        button={
          <>
            <span>
              <span class="on-wide">Download </span>PNG
            </span>
            <Icon name="down" size={16} />
          </>
        }
      >
        {pngSizes.map((size) => (
          <MenuItem key={size} label={`${size} × ${size} pixels`} onClick={() => void savePng(size)} />
        ))}
      </Menu>
    </div>
  );
}
