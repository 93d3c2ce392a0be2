import { useMemo } from 'preact/hooks';
import { qrSvg } from '../../../qr/svg.ts';
import { Button } from '../../parts/button.tsx';
import { Field, type FieldFrame, Switch, TextInput } from '../../parts/field.tsx';
import { QrDownloads } from '../../parts/qr-dialog.tsx';
import { type QrStyle, savedStyle, svgDataUrl } from '../../parts/qr-picture.ts';
import { Panel } from '../../parts/section.tsx';
import { readableUrl, shortOf } from '../../short-links.ts';
import { isColour, readability } from './colour.ts';
import type { LinkForm } from './form.ts';
import { NotSavedYet } from './save-bar.tsx';

/** The style of the code with the unsaved changes; the saved colour while a typed one is incomplete. */
function currentStyle({ link, fields }: LinkForm): QrStyle {
  const saved = savedStyle(link);
  const { qr_code_foreground_hex: foreground, qr_code_background_hex: background } = fields;
  return {
    foreground: isColour(foreground) ? foreground : saved.foreground,
    background: isColour(background) ? background : saved.background,
    hasMarker: fields.qr_code_marker,
  };
}

/** Drawn by the server's own code, so that the preview of unsaved changes is exact. */
const svgOf = (url: string, style: QrStyle): string =>
  qrSvg(style.hasMarker ? `${url}?qr` : url, style.foreground, style.background);

export function QrSection({ form }: { form: LinkForm }) {
  const { link } = form;
  const style = currentStyle(form);
  const url = readableUrl(link);
  const svg = useMemo(() => svgOf(url, style), [url, style.foreground, style.background, style.hasMarker]);
  const warning = readability(style.foreground, style.background);
  const isDefault = style.foreground === '#000000' && style.background.toUpperCase() === '#FFFFFF';
  const setColours = (foreground: string, background: string) => {
    form.set('qr_code_foreground_hex', foreground);
    form.set('qr_code_background_hex', background);
  };
  return (
    <Panel title="QR code" class="qr-section" aside={<NotSavedYet form={form} prefix="qr_" />}>
      <div class="qr-and-colours">
        <img class="qr" src={svgDataUrl(svg)} alt={`QR code of ${shortOf(link)}`} width={200} height={200} />
        <div class="stack even">
          <ColourField {...form.text('qr_code_foreground_hex')} label="Code" />
          <ColourField {...form.text('qr_code_background_hex')} label="Background" />
          <div class="actions">
            <Button isSlim onClick={() => setColours(style.background, style.foreground)}>
              Swap
            </Button>
            {!isDefault && (
              <Button isSlim onClick={() => setColours('#000000', '#FFFFFF')}>
                Black on white
              </Button>
            )}
          </div>
        </div>
      </div>
      <div role="status">{warning && <p class="callout small">{warning}</p>}</div>
      <Switch
        {...form.flag('qr_code_marker')}
        label="Count scans separately"
        hint={
          <>
            The code then contains the address with <span class="whole">?qr</span> added, by which statistics
            distinguish scans from clicks.
          </>
        }
      />
      <Switch
        {...form.flag('on_paper')}
        hint="The address or code is in print: deleting or ending the link then asks once more. A downloaded code turns this on."
      />
      <QrDownloads link={link} svg={svg} qrStyle={style} />
    </Panel>
  );
}

interface ColourFieldProps extends FieldFrame {
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A swatch that opens the browser's own palette, and the colour as text beside it. */
function ColourField({ value, onText, ...frame }: ColourFieldProps) {
  return (
    <Field {...frame}>
      {(marks) => (
        <div class="colour-field">
          <input
            type="color"
            aria-label={`${frame.label}, from a palette`}
            value={isColour(value) ? value.toLowerCase() : '#000000'}
            onInput={(event) => onText(event.currentTarget.value.toUpperCase())}
          />
          <TextInput
            maxLength={7}
            spellcheck={false}
            autocomplete="off"
            placeholder="#000000"
            value={value}
            onText={(text) => onText(text.trim())}
            {...marks}
          />
        </div>
      )}
    </Field>
  );
}
