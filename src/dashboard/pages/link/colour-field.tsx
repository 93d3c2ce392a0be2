import { Field, type FieldFrame } from '../../parts/field.tsx';
import { isColour } from './colour.ts';

interface ColourFieldProps extends FieldFrame {
  readonly value: string;
  readonly onText: (text: string) => void;
}

/** A swatch that opens the browser's own palette, and the colour as text beside it. */
export function ColourField({ value, onText, ...frame }: ColourFieldProps) {
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
          <input
            class="input"
            type="text"
            maxLength={7}
            spellcheck={false}
            autocomplete="off"
            placeholder="#000000"
            value={value}
            onInput={(event) => onText(event.currentTarget.value.trim())}
            {...marks}
          />
        </div>
      )}
    </Field>
  );
}
