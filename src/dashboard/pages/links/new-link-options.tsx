import type { ApiError } from '../../api-error.ts';
import type { Tag } from '../../api-types.ts';
import { useOwnDomains } from '../../own-domains.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { setup } from '../../session.ts';

export interface Wish {
  readonly suffix: string;
  /** Empty: the service's own. */
  readonly domain: string;
  readonly tags: readonly Tag[];
}

export const noWish: Wish = { suffix: '', domain: '', tags: [] };
export const wishFields = ['suffix', 'domain', 'tags'] as const;

interface OptionsProps {
  readonly wish: Wish;
  readonly onWish: (wish: Wish) => void;
  readonly error: ApiError | null;
  /** Several links can't share a suffix. */
  readonly areMany: boolean;
}

export function NewLinkOptions({ wish, onWish, error, areMany }: OptionsProps) {
  const { own } = useOwnDomains();
  const service = setup.value?.default_domain ?? '';
  const chosen = own.find(({ value }) => value === wish.domain)?.label ?? service;
  return (
    <div class="new-link-options">
      {own.length > 0 && (
        <SelectField
          label="Domain"
          value={wish.domain}
          choices={[{ value: '', label: service }, ...own]}
          error={error?.of('domain')}
          onChoice={(domain) => onWish({ ...wish, domain })}
        />
      )}
      <TextField
        label="Suffix"
        placeholder={areMany ? 'Random for each' : 'Random'}
        disabled={areMany}
        autocomplete="off"
        spellcheck={false}
        maxLength={600}
        value={areMany ? '' : wish.suffix}
        hint={areMany ? 'Each link gets its own.' : `What comes after ${chosen}/`}
        error={error?.of('suffix')}
        onText={(suffix) => onWish({ ...wish, suffix })}
      />
      <TagPicker
        label="Tags"
        value={wish.tags}
        error={error?.of('tags')}
        onChange={(tags) => onWish({ ...wish, tags })}
      />
    </div>
  );
}
