import type { ComponentChildren } from 'preact';
import { Icon } from '../parts/icons.tsx';

interface FilterChipProps {
  /** What pressing it does. */
  readonly action: string;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

/** A filter that is set; pressing it removes it. */
export const FilterChip = ({ action, onPress, children }: FilterChipProps) => (
  <button type="button" class="filter-chip" onClick={onPress} title={action}>
    {children}
    <Icon name="close" size={14} />
    <span class="unseen">{action}</span>
  </button>
);
