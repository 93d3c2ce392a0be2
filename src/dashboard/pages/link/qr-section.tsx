import { useMemo } from 'preact/hooks';
import { qrSvg } from '../../../qr/svg.ts';
import { Button } from '../../parts/button.tsx';
import { Switch } from '../../parts/field.tsx';
import { QrDownloads } from '../../parts/qr-downloads.tsx';
import { asAddress, lookOf, type QrLook } from '../../parts/qr-picture.ts';
import { readableUrl, shortOf } from '../../short.ts';
import { isColour, readability } from './colour.ts';
import { ColourField } from './colour-field.tsx';
import type { LinkForm } from './form.ts';

/** The code as it would be with what is typed; a colour that isn't one yet leaves the saved one. */
function lookNow({ link, fields }: LinkForm): QrLook {
  const saved = lookOf(link);
  const { qr_code_foreground_hex: foreground, qr_code_background_hex: background } = fields;
  return {
    foreground: isColour(foreground) ? foreground : saved.foreground,
    background: isColour(background) ? background : saved.background,
    hasMarker: fields.qr_code_marker,
  };
}

/** Drawn by what draws the real one, so that a change which isn't saved yet is seen as it will be. */
const drawn = (url: string, look: QrLook): string =>
  qrSvg(look.hasMarker ? `${url}?qr` : url, look.foreground, look.background);

export function QrSection({ form }: { form: LinkForm }) {
  const { link, fields } = form;
  const look = lookNow(form);
  const url = readableUrl(link);
  const svg = useMemo(() => drawn(url, look), [url, look.foreground, look.background, look.hasMarker]);
  const warning = readability(look.foreground, look.background);
  const isUsual = look.foreground === '#000000' && look.background.toUpperCase() === '#FFFFFF';
  const colour = (foreground: string, background: string) => {
    form.set('qr_code_foreground_hex', foreground);
    form.set('qr_code_background_hex', background);
  };
  return (
    <section class="panel qr-section" aria-labelledby="qr-heading">
      <header>
        <h2 id="qr-heading">QR code</h2>
        {form.changed.some((name) => name.startsWith('qr_')) && <span class="chip">Not saved yet</span>}
      </header>
      <div class="body">
        <div class="qr-and-colours">
          <img class="qr" src={asAddress(svg)} alt={`QR code of ${shortOf(link)}`} width={200} height={200} />
          <div class="stack">
            <ColourField
              label="Code"
              value={fields.qr_code_foreground_hex}
              error={form.errorOf('qr_code_foreground_hex')}
              onText={(text) => form.set('qr_code_foreground_hex', text)}
            />
            <ColourField
              label="Background"
              value={fields.qr_code_background_hex}
              error={form.errorOf('qr_code_background_hex')}
              onText={(text) => form.set('qr_code_background_hex', text)}
            />
            <div class="actions">
              <Button isSlim onClick={() => colour(look.background, look.foreground)}>
                Swap
              </Button>
              {!isUsual && (
                <Button isSlim onClick={() => colour('#000000', '#FFFFFF')}>
                  Black on white
                </Button>
              )}
            </div>
          </div>
        </div>
        <div role="status">{warning && <p class="callout small">{warning}</p>}</div>
        <Switch
          label="Count scans apart"
          hint={
            <>
              The code then holds the address with <span class="whole">?qr</span> behind it, by which
              statistics tell scans from clicks.
            </>
          }
          isOn={fields.qr_code_marker}
          onTurn={(isOn) => form.set('qr_code_marker', isOn)}
        />
        <QrDownloads link={link} svg={svg} look={look} />
      </div>
    </section>
  );
}
