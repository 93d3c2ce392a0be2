import { useSignal } from '@preact/signals';
import type { TargetedFocusEvent } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { useAction } from '../action.ts';
import type { CountedTag, Tag } from '../api-types.ts';
import { storeIn } from '../handlers.ts';
import { Field, type FieldFrame } from './field.tsx';
import { Icon } from './icons.tsx';
import { type TagOption, TagOptions } from './tag-options.tsx';
import { isNamed, makeTag, tagsLike, useTags } from './tags.ts';

interface TagPickerProps extends FieldFrame {
  readonly value: readonly Tag[];
  readonly onChange: (tags: readonly Tag[]) => void;
  readonly placeholder?: string;
  /** Whether a new tag can be created here. */
  readonly canCreate?: boolean;
}

/** Typing finds the rest. */
const maxShown = 50;
const noTags: readonly CountedTag[] = [];

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
  const isOpen = useSignal(false);
  const wasOpen = useSignal(false);
  /** The index of the active option; -1 for none. */
  const at = useSignal(-1);
  /** Enter was pressed before the tags had loaded: the active option is chosen once they have. */
  const isEager = useSignal(false);
  const announced = useSignal('');
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const tags = useTags(wasOpen.value);
  const create = useAction(async (name: string) => {
    const tag = await makeTag(name);
    add(tag);
  });

  const known = tags.data.value ?? noTags;
  const wanted = words.value.trim();
  const { found, isTaken } = useMemo(
    () => ({ found: tagsLike(known, wanted), isTaken: known.some((tag) => isNamed(tag, wanted)) }),
    [known, wanted],
  );
  const free = found.filter((tag) => !value.some(({ id }) => id === tag.id));
  const options: TagOption[] = free.slice(0, maxShown).map((tag) => ({ kind: 'tag', tag }));
  if (canCreate && wanted !== '' && !isTaken && tags.data.value)
    options.push({ kind: 'create', name: wanted });

  const open = () => {
    wasOpen.value = true;
    isOpen.value = true;
  };
  const close = () => {
    isOpen.value = false;
    isEager.value = false;
    at.value = -1;
  };
  const type = (text: string) => {
    words.value = text;
    at.value = text.trim() === '' ? -1 : 0;
    isEager.value = false;
    create.error.value = null;
    open();
  };
  const add = (tag: Tag) => {
    onChange([...value.filter(({ id }) => id !== tag.id), tag]);
    announced.value = `${tag.name} added`;
    type('');
    input.current?.focus();
  };
  const remove = (tag: Tag) => {
    onChange(value.filter(({ id }) => id !== tag.id));
    announced.value = `${tag.name} removed`;
    input.current?.focus();
  };
  const choose = (option: TagOption) => {
    if (option.kind === 'tag') add(option.tag);
    else void create.run(option.name);
  };
  const isHere = tags.data.value !== undefined;
  useEffect(() => {
    if (!isEager.value || !isHere) return;
    isEager.value = false;
    const option = options[at.value];
    if (option) choose(option);
  }, [isHere]);
  const onKeyDown = (event: KeyboardEvent) => {
    const option = options[at.value];
    const last = value.at(-1);
    if (event.key === 'ArrowDown') {
      open();
      at.value = Math.min(at.value + 1, options.length - 1);
    } else if (event.key === 'ArrowUp') at.value = Math.max(at.value - 1, 0);
    else if (event.key === 'Enter' && isOpen.value && option) choose(option);
    else if (event.key === 'Enter' && wanted !== '') {
      open();
      isEager.value = !isHere;
    } else if (event.key === 'Escape' && isOpen.value) close();
    else if (event.key === 'Backspace' && words.value === '' && last) return remove(last);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusOut = (event: TargetedFocusEvent<HTMLElement>) => {
    const to = event.relatedTarget;
    if (!(to instanceof Node && event.currentTarget.contains(to))) close();
  };

  return (
    <Field {...frame} error={error ?? create.error.value?.message}>
      {(marks) => (
        <div class="tag-picker" onFocusOut={onFocusOut}>
          <div
            class="input tag-box"
            onMouseDown={(event) => {
              if (event.target !== event.currentTarget) return;
              event.preventDefault();
              input.current?.focus();
              open();
            }}
          >
            {value.map((tag) => (
              <span class="chip" key={tag.id}>
                <span class="cut" dir="auto">
                  {tag.name}
                </span>
                <button type="button" aria-label={`Remove tag ${tag.name}`} onClick={() => remove(tag)}>
                  <Icon name="close" size={14} />
                </button>
              </span>
            ))}
            <input
              {...marks}
              ref={input}
              type="text"
              role="combobox"
              autocomplete="off"
              spellcheck={false}
              maxLength={100}
              aria-expanded={isOpen.value}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={isOpen.value && options[at.value] ? `${listId}-${at.value}` : undefined}
              placeholder={value.length === 0 ? placeholder : ''}
              value={words.value}
              onFocus={open}
              onClick={open}
              onInput={(event) => type(event.currentTarget.value)}
              onKeyDown={onKeyDown}
            />
          </div>
          <TagOptions
            id={listId}
            isOpen={isOpen.value}
            options={options}
            at={at.value}
            hidden={Math.max(0, free.length - maxShown)}
            isFirst={canCreate && known.length === 0}
            query={tags}
            onPoint={storeIn(at)}
            onChoose={choose}
          />
          <span class="unseen" role="status">
            {announced.value}
          </span>
        </div>
      )}
    </Field>
  );
}
