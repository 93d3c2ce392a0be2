import { useEffect, useRef } from 'preact/hooks';
import type { CountedTag } from '../api-types.ts';
import type { Query } from '../queries.ts';
import { counted, number } from '../words.ts';
import { ErrorBox } from './error-box.tsx';
import { Icon } from './icons.tsx';

export type TagOption =
  | { readonly kind: 'tag'; readonly tag: CountedTag }
  | { readonly kind: 'create'; readonly name: string };

interface TagOptionsProps {
  readonly id: string;
  readonly isOpen: boolean;
  readonly options: readonly TagOption[];
  /** The index of the active one. */
  readonly at: number;
  /** How many options are not shown. */
  readonly hidden: number;
  /** There are no tags yet, and one can be created. */
  readonly isFirst: boolean;
  readonly query: Query<readonly CountedTag[]>;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (option: TagOption) => void;
}

/** The options of a tag picker, below its field. A press on one leaves the focus in the field. */
export function TagOptions({
  id,
  isOpen,
  options,
  at,
  hidden,
  isFirst,
  query,
  onPoint,
  onChoose,
}: TagOptionsProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const error = query.error.value;
  const isEmpty = options.length === 0 && query.data.value !== undefined;
  return (
    <div class="tag-options" hidden={!isOpen} onMouseDown={(event) => event.preventDefault()}>
      {error && <ErrorBox error={error} onRetry={() => void query.reload()} />}
      <div role="listbox" id={id} aria-label="Tags" ref={list}>
        {isOpen &&
          options.map((option, index) => (
            <div
              key={option.kind === 'tag' ? option.tag.id : 'create'}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onMouseMove={() => onPoint(index)}
              onClick={() => onChoose(option)}
            >
              {option.kind === 'tag' ? (
                <>
                  <span class="cut" dir="auto">
                    {option.tag.name}
                  </span>
                  <span class="soft small">{counted(option.tag.links, 'link')}</span>
                </>
              ) : (
                <>
                  <Icon name="plus" />
                  <span class="cut">Create tag “{option.name}”</span>
                </>
              )}
            </div>
          ))}
      </div>
      {isEmpty && (
        <p class="soft small">
          {isFirst ? 'Type the name of the first tag.' : 'No other tag is called that.'}
        </p>
      )}
      {hidden > 0 && <p class="soft small">{number(hidden)} more. Type to find one.</p>}
    </div>
  );
}
