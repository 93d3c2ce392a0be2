import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { CountedTag } from '../../api-types.ts';
import { call } from '../../client.ts';
import { counted, number } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { notify, notifyError } from '../../notices.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Pager } from '../../parts/pager.tsx';
import { focusedRow, focusRowOf, stepKeys } from '../../parts/rows.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { byName, tagsLike } from '../../parts/tags.ts';
import { refresh, updateCached } from '../../queries.ts';
import { askBefore } from '../../questions.ts';
import { search, setQuery } from '../../router.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { RenameTag } from './tag-form.tsx';

const perPage = 100;
const orders = [
  { value: 'name', label: 'By name' },
  { value: 'links', label: 'Most links first' },
] as const;

/** All tags, paginated because there may be ten thousand. */
export function TagList({ tags }: { tags: readonly CountedTag[] }) {
  const query = new URLSearchParams(search.value);
  const words = query.get('q') ?? '';
  const order = query.get('sort') === 'links' ? 'links' : 'name';
  const renamed = useSignal<number | null>(null);
  const found = useMemo(() => {
    const like = words === '' ? tags : tagsLike(tags, words);
    if (order === 'links')
      return [...like].sort((one, other) => other.links - one.links || byName(one, other));
    return words === '' ? [...like].sort(byName) : like;
  }, [tags, words, order]);
  const last = Math.max(1, Math.ceil(found.length / perPage));
  const page = Math.min(last, Math.max(1, Math.trunc(Number(query.get('page'))) || 1));
  const shown = found.slice((page - 1) * perPage, page * perPage);
  useShortcuts([
    { key: '/', description: 'Filter tags', act: () => document.getElementById('search-tags')?.focus() },
    ...stepKeys('tag'),
    {
      key: 'e',
      description: 'Rename the tag',
      act: () => {
        renamed.value = focusedRow(shown)?.id ?? null;
      },
    },
    {
      key: 'Delete',
      description: 'Delete the tag',
      act: () => {
        const tag = focusedRow(shown);
        if (tag) askToDelete(tag);
      },
    },
  ]);
  const closeRenaming = (id: number) => {
    if (renamed.value !== id) return;
    renamed.value = null;
    requestAnimationFrame(() => focusRowOf(id));
  };
  return (
    <div class="stack tight">
      <div class="list-toolbar" role="search">
        <SearchField
          id="search-tags"
          label="Filter tags"
          words={words}
          onWords={(text) => setQuery({ q: text || null, page: null })}
        />
        <SelectField
          label="Sort"
          isLabelUnseen
          value={order}
          choices={orders}
          onChoice={(chosen) => setQuery({ sort: chosen === 'name' ? null : chosen, page: null })}
        />
      </div>
      <section class="panel" aria-label="Tags">
        <p class="tags-head soft" role="status">
          {words === ''
            ? counted(tags.length, 'tag')
            : `${counted(found.length, 'tag')} of ${number(tags.length)}`}
        </p>
        {shown.length === 0 ? (
          <Empty title="No tag has that name">
            <Button onClick={() => setQuery({ q: null, page: null })}>Show all tags</Button>
          </Empty>
        ) : (
          <ul>
            {shown.map((tag) => (
              <TagRow
                key={tag.id}
                tag={tag}
                isRenamed={renamed.value === tag.id}
                onRename={setTo(renamed, tag.id)}
                onRenamed={() => closeRenaming(tag.id)}
              />
            ))}
          </ul>
        )}
        {found.length > perPage && (
          <Pager
            page={page}
            size={perPage}
            total={found.length}
            onPage={(to) => {
              setQuery({ page: to === 1 ? null : String(to) });
              scrollTo(0, 0);
            }}
          />
        )}
      </section>
    </div>
  );
}

interface TagRowProps {
  readonly tag: CountedTag;
  readonly isRenamed: boolean;
  readonly onRename: () => void;
  readonly onRenamed: () => void;
}

function TagRow({ tag, isRenamed, onRename, onRenamed }: TagRowProps) {
  return (
    <li class="tag-row beside" data-row={tag.id}>
      {isRenamed ? (
        <RenameTag tag={tag} onDone={onRenamed} />
      ) : (
        <>
          <Icon name="tag" size={16} />
          <a class="tag-name cut" dir="auto" href={`/app?tag=${tag.id}`} data-row-link title={tag.name}>
            {tag.name}
          </a>
          <div class="row-actions">
            <IconButton icon="edit" label={`Rename ${tag.name}`} isSlim onClick={onRename} />
            <IconButton icon="trash" label={`Delete ${tag.name}`} isSlim onClick={() => askToDelete(tag)} />
          </div>
          <span class="soft small number">{counted(tag.links, 'link')}</span>
        </>
      )}
    </li>
  );
}

/** Removes the tag from the list at once, and puts it back if the call fails. */
async function remove(tag: CountedTag): Promise<void> {
  updateCached<readonly CountedTag[]>('tags', (known) => known.filter(({ id }) => id !== tag.id));
  try {
    await call('DELETE /api/v1/tag/{id}', { params: { id: tag.id } });
    notify(`Tag “${tag.name}” deleted.`);
  } catch (cause) {
    updateCached<readonly CountedTag[]>('tags', (known) => [...known.filter(({ id }) => id !== tag.id), tag]);
    notifyError(cause, `Tag “${tag.name}” was not deleted.`);
  }
  refresh('tags', 'links', 'link ');
}

const askToDelete = (tag: CountedTag): void =>
  askBefore({
    title: `Delete the tag “${tag.name}”?`,
    sentence:
      tag.links === 0
        ? "No link has it. This can't be undone."
        : `It is taken off ${counted(tag.links, 'link')}; the links themselves stay. This can't be undone.`,
    action: 'Delete tag',
    act: () => void remove(tag),
  });
