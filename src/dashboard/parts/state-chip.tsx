import { Icon, type IconName } from './icons.tsx';

interface StateChipProps {
  readonly word: string;
  readonly tone: 'good' | 'warn' | 'bad' | '';
  readonly icon: IconName;
}

export const StateChip = ({ word, tone, icon }: StateChipProps) => (
  <span class={`chip ${tone}`}>
    <Icon name={icon} size={14} />
    {word}
  </span>
);
