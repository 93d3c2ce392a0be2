import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useAction } from '../action.ts';
import type { CountedTag, Tag } from '../api-types.ts';
import { useCreateOnce } from '../create-once.ts';
import { counted } from '../format.ts';
import { setTo } from '../handlers.ts';
import { ErrorBox } from './error-box.tsx';
import type { FieldFrame } from './field.tsx';
import { Icon } from './icons.tsx';
import { Picker } from './picker.tsx';
import type { PickerOption } from './picker-options.tsx';
import { createTag, isNamed, tagsLike, useTags } from './tags.ts';

interface TagPickerProps extends FieldFrame {
  readonly value: readonly Tag[];
  readonly onChange: (tags: readonly Tag[]) => void;
  readonly placeholder?: string;
  /** Whether a new tag can be created here. */
  readonly canCreate?: boolean;
}

/** Others are found by typing. */
const maxShown = 50;
const noTags: readonly CountedTag[] = [];

const optionOf = (tag: CountedTag): PickerOption => ({
  key: tag.id,
  content: (
    <>
      <span class="cut" dir="auto">
        {tag.name}
      </span>
      <span class="soft small">{counted(tag.links, 'link')}</span>
    </>
  ),
});

const creation = (name: string): PickerOption => ({
  key: 'create',
  content: (
    <>
      <Icon name="plus" />
      <span class="cut">Create tag “{name}”</span>
    </>
  ),
});

/** Tags as chips, and a field beside them that finds more. */
export function TagPicker({
  value,
  onChange,
  placeholder = 'Add a tag',
  canCreate = true,
  error,
  ...frame
}: TagPickerProps) {
  const words = useSignal('');
  const wasOpen = useSignal(false);
  const tags = useTags(wasOpen.value);
  // A tag is added once it has been created: others may have been chosen since then.
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  const add = (tag: Tag) => {
    const others = latest.current.value.filter(({ id }) => id !== tag.id);
    latest.current.onChange([...others, tag]);
  };
  const createOnce = useCreateOnce();
  const create = useAction(async (name: string) => {
    add(await createTag(createOnce, name));
  });

  const allTags = tags.data.value ?? noTags;
  const typedName = words.value.trim();
  const { found, isTaken } = useMemo(
    () => ({ found: tagsLike(allTags, typedName), isTaken: allTags.some((tag) => isNamed(tag, typedName)) }),
    [allTags, typedName],
  );
  const unselected = found.filter((tag) => !value.some(({ id }) => id === tag.id));
  const options = unselected.slice(0, maxShown).map(optionOf);
  const areLoaded = tags.data.value !== undefined;
  if (canCreate && typedName !== '' && !isTaken && areLoaded) options.push(creation(typedName));
  const named = canCreate ? unselected.find((tag) => isNamed(tag, typedName)) : undefined;
  const isFirst = canCreate && allTags.length === 0;
  const problem = tags.error.value;

  return (
    <Picker
      {...frame}
      error={error ?? create.error.value?.message}
      words={words}
      chips={value.map(({ id, name }) => ({ key: id, label: name }))}
      options={options}
      listLabel="Tags"
      hidden={Math.max(0, unselected.length - maxShown)}
      emptyNote={
        areLoaded ? (isFirst ? 'Type the name of the first tag.' : 'No other tag has that name.') : null
      }
      isLoading={!areLoaded}
      problem={problem && <ErrorBox error={problem} onRetry={() => void tags.reload()} />}
      noun="tag"
      placeholder={placeholder}
      maxLength={100}
      onOpen={setTo(wasOpen, true)}
      onType={setTo(create.error, null)}
      onChoose={async ({ key }) => {
        const tag = unselected.find(({ id }) => id === key);
        if (!tag) return (await create.run(typedName)) ? typedName : null;
        add(tag);
        return tag.name;
      }}
      onRemove={({ key }) => onChange(value.filter(({ id }) => id !== key))}
      named={named && optionOf(named)}
    />
  );
}
