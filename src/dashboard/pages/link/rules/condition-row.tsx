import { useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../../../parts/button.tsx';
import { ConditionValue } from './condition-value.tsx';
import type { Problems } from './problems.ts';
import { type Condition, conditionLabels } from './rule.ts';

interface ConditionRowProps {
  readonly condition: Condition;
  readonly problems: Problems;
  /** Whether it was just added. */
  readonly isNew: boolean;
  readonly onChange: (value: Condition['value']) => void;
  readonly onInvert: () => void;
  readonly onRemove: () => void;
}

/** A required or excluded property of visitors. */
export function ConditionRow({
  condition,
  problems,
  isNew,
  onChange,
  onInvert,
  onRemove,
}: ConditionRowProps) {
  const { key, isNegated } = condition;
  const row = useRef<HTMLFieldSetElement>(null);
  // Focused before the next paint, to receive what is typed right after it was added.
  useLayoutEffect(() => {
    if (isNew) row.current?.querySelector<HTMLElement>('.condition-value :is(input, select)')?.focus();
  }, []);
  const label = conditionLabels[key];
  const verb = key === 'query' || key === 'hours' ? 'are' : 'is';
  const isInstant = key === 'from' || key === 'to';
  return (
    <fieldset class="condition" ref={row} aria-label={`${label}${isNegated ? ' is not' : ''}`}>
      <span class="condition-key">{label}</span>
      {/* "Not from" means "until". */}
      {isInstant && !isNegated ? (
        <span class="condition-is" />
      ) : (
        <select
          class="input condition-is"
          aria-label={`${label}: is or is not`}
          value={isNegated ? 'not' : ''}
          onChange={onInvert}
        >
          <option value="">{verb}</option>
          <option value="not">{verb} not</option>
        </select>
      )}
      <div class="condition-value">
        <ConditionValue
          condition={condition}
          label={`${label}${isNegated ? ' is not' : ''}`}
          path={`when${isNegated ? '.not' : ''}.${key}`}
          problems={problems}
          onChange={onChange}
        />
      </div>
      <IconButton icon="close" label={`Remove condition ${label}`} onClick={onRemove} />
    </fieldset>
  );
}
