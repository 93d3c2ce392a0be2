import { maxVariants, maxWeight } from '../../../../rules/link-rules/rule-fields.ts';
import { Button, IconButton } from '../../../parts/button.tsx';
import { Switch, TextField, UrlField } from '../../../parts/field.tsx';
import type { Problems } from './problems.ts';
import { newVariantId, type Rule, sharesOf, type Variant } from './rule.ts';
import { shareInWords } from './sentences.ts';

interface VariantFieldsProps {
  readonly rule: Rule;
  readonly variants: readonly Variant[];
  readonly problems: Problems;
  readonly onChange: (rule: Rule) => void;
}

/** The destinations among which visitors are split, and their shares. */
export function VariantFields({ rule, variants, problems, onChange }: VariantFieldsProps) {
  const shares = sharesOf(variants);
  const set = (changed: readonly Variant[]) => onChange({ ...rule, variants: changed });
  const change = (index: number, more: Partial<Variant>) =>
    set(variants.map((variant, at) => (at === index ? { ...variant, ...more } : variant)));
  const average = variants.reduce((sum, { weight }) => sum + weight, 0) / Math.max(variants.length, 1);
  return (
    <div class="stack tight">
      {variants.map((variant, index) => (
        <div class="variant" key={variant.id}>
          <UrlField
            label={`Destination ${variant.id}`}
            value={variant.destination_url}
            error={problems.sentenceFor(`variants.${index}.destination_url`)}
            onText={(typed) => change(index, { destination_url: typed })}
          />
          <TextField
            label={`Weight of ${variant.id}`}
            type="number"
            min={0}
            max={maxWeight}
            value={String(variant.weight)}
            error={problems.sentenceFor(`variants.${index}.weight`)}
            hint={<output>{shareInWords(shares[index] ?? 0)}</output>}
            onText={(typed) => change(index, { weight: Number(typed) })}
          />
          <IconButton
            icon="close"
            label={`Remove destination ${variant.id}`}
            disabled={variants.length === 1}
            onClick={() => set(variants.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button
          isSlim
          icon="plus"
          disabled={variants.length >= maxVariants}
          onClick={() =>
            set([
              ...variants,
              { id: newVariantId(variants), destination_url: '', weight: Math.round(average) || 1 },
            ])
          }
        >
          Add destination
        </Button>
      </div>
      <Switch
        label="The same one all day"
        hint="A visitor sees the same destination until midnight (UTC), without a cookie. Off: at random for each visit."
        isOn={rule.sticky !== false}
        onToggle={(isOn) => onChange({ ...rule, sticky: isOn })}
      />
    </div>
  );
}
