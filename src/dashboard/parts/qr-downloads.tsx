import type { Link } from '../api-types.ts';
import { say } from '../notices.ts';
import { saveFile } from '../save-file.ts';
import { Button } from './button.tsx';
import { fileName } from './file-name.ts';
import { Icon } from './icons.tsx';
import { Menu } from './menu.tsx';
import { pngOf, pngSizes, type QrLook } from './qr-picture.ts';

/** The code as it is shown, as a file. */
export function QrDownloads({ link, svg, look }: { link: Link; svg: string; look: QrLook }) {
  const name = fileName(link.suffix);
  const savePng = (size: number) =>
    pngOf(svg, size, look.background).then(
      (png) => saveFile(png, `${name}-${size}.png`),
      () => say('This browser could not draw the picture. Download it as SVG.', { isError: true }),
    );
  return (
    <div class="actions">
      <Button
        icon="download"
        onClick={() => saveFile(new Blob([svg], { type: 'image/svg+xml' }), `${name}.svg`)}
      >
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
          <button type="button" key={size} onClick={() => void savePng(size)}>
            {size} × {size} pixels
          </button>
        ))}
      </Menu>
    </div>
  );
}
