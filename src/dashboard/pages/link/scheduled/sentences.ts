import type { ScheduledChange, Tag } from '../../../api-types.ts';
import { type Change, labelOf, valueText } from '../history/sentences.ts';

interface Planned {
  readonly label: string;
  /** Null: the field is cleared. */
  readonly words: string | null;
}

const aliasLabels: Readonly<Record<string, string>> = {
  add_aliases: 'Aliases added',
  remove_aliases: 'Aliases removed',
};
const tagLabels: Readonly<Record<string, string>> = { add_tags: 'Tags added', remove_tags: 'Tags removed' };

/** The fields that a scheduled change sets, in words. */
export function plannedChanges(
  { changes }: ScheduledChange,
  tags: readonly Pick<Tag, 'id' | 'name'>[],
): readonly Planned[] {
  return Object.entries(changes).flatMap(([field, value]) => {
    const label = tagLabels[field];
    if (label === undefined)
      return { label: aliasLabels[field] ?? labelOf(field), words: valueText(field, value as Change['to']) };
    const names = (value as number[]).map((id) => tags.find((tag) => tag.id === id)?.name ?? `Tag ${id}`);
    return names.length === 0 ? [] : { label, words: names.join(', ') };
  });
}
