import { useRef } from 'preact/hooks';
import type { Tag } from '../api-types.ts';
import { domainFilter, useOwnDomains } from '../own-domains.ts';
import { maxTags } from '../stats/chosen.ts';
import { SelectField } from './field.tsx';
import { TagPicker } from './tag-picker.tsx';
import { useTagsNamed } from './tags-named.ts';

interface Props {
  tagIds: readonly number[];
  domain: string;
  /** Parameters of the page's address; null removes one. */
  onChange(parameters: Record<string, string | null>): void;
}

/** Narrows a page to links with some tags, or on a domain. */
export function TagAndDomainFilter({ tagIds, domain, onChange }: Props) {
  const knownTags = useRef(new Map<number, Tag>());
  const tags = useTagsNamed(tagIds, knownTags.current);
  const { own } = useOwnDomains();
  const choices = domainFilter(own);
  // A domain of a bookmark that is gone is still the filter, so the field shows it.
  const isListed = choices.some(({ value }) => value === domain);
  return (
    <>
      <TagPicker
        label="Filter by tag"
        isLabelUnseen
        placeholder="Any tag"
        canCreate={false}
        value={tags}
        onChange={(picked) => {
          const selected = picked.slice(-maxTags);
          for (const tag of selected) knownTags.current.set(tag.id, tag);
          onChange({ tag: selected.map(({ id }) => id).join(',') || null });
        }}
      />
      {own.length > 0 && (
        <SelectField
          label="Filter by domain"
          isLabelUnseen
          value={domain}
          choices={isListed ? choices : [...choices, { value: domain, label: domain }]}
          onChoice={(chosen) => onChange({ domain: chosen || null })}
        />
      )}
    </>
  );
}
