import type { ApiError } from '../../api-error.ts';
import type { Tag } from '../../api-types.ts';
import { useOwnDomains } from '../../own-domains.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { setup } from '../../session.ts';

export interface NewLinkInput {
  readonly suffix: string;
  /** Empty: the service's own. */
  readonly domain: string;
  readonly tags: readonly Tag[];
}

export const emptyInput: NewLinkInput = { suffix: '', domain: '', tags: [] };
export const inputFields = ['suffix', 'domain', 'tags'] as const;

interface OptionsProps {
  readonly input: NewLinkInput;
  readonly onInput: (input: NewLinkInput) => void;
  readonly error: ApiError | null;
  /** Several links can't share a suffix. */
  readonly areMany: boolean;
}

export function NewLinkOptions({ input, onInput, error, areMany }: OptionsProps) {
  const { own } = useOwnDomains();
  const service = setup.value?.default_domain ?? '';
  const chosen = own.find(({ value }) => value === input.domain)?.label ?? service;
  return (
    <div class="field-grid new-link-options">
      {own.length > 0 && (
        <SelectField
          label="Domain"
          value={input.domain}
          choices={[{ value: '', label: service }, ...own]}
          error={error?.sentenceFor('domain')}
          onChoice={(domain) => onInput({ ...input, domain })}
        />
      )}
      <TextField
        label="Suffix"
        placeholder={areMany ? 'Random for each' : 'Random'}
        disabled={areMany}
        autocomplete="off"
        spellcheck={false}
        maxLength={600}
        value={areMany ? '' : input.suffix}
        hint={areMany ? 'Each link gets its own.' : `What comes after ${chosen}/`}
        error={error?.sentenceFor('suffix')}
        onText={(suffix) => onInput({ ...input, suffix })}
      />
      <TagPicker
        label="Tags"
        value={input.tags}
        error={error?.sentenceFor('tags')}
        onChange={(tags) => onInput({ ...input, tags })}
      />
    </div>
  );
}
