import { Icon, type IconName } from './icons.tsx';

interface StateChipProps {
  readonly word: string;
  readonly look: 'good' | 'warn' | 'bad' | '';
  readonly icon: IconName;
}

export const StateChip = ({ word, look, icon }: StateChipProps) => (
  <span class={`chip ${look}`}>
    <Icon name={icon} size={14} />
    {word}
  </span>
);
