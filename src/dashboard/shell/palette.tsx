import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { ApiError, asApiError } from '../api-error.ts';
import { call } from '../client.ts';
import { withoutScheme } from '../format.ts';
import { setTo } from '../handlers.ts';
import { Modal } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { navigate } from '../router.ts';
import { pageOf, shortOf } from '../short-links.ts';
import { focusNewLink, navigation } from './navigation.ts';

interface Entry {
  readonly key: string;
  readonly icon: IconName;
  readonly name: string;
  readonly detail?: string;
  readonly act: () => void;
}

const fixedEntries: readonly Entry[] = [
  { key: 'new', icon: 'plus', name: 'New link', act: () => focusNewLink() },
  ...navigation.map(({ to, name, icon }) => ({ key: to, icon, name, act: () => navigate(to) })),
  { key: 'deleted', icon: 'trash', name: 'Deleted links', act: () => navigate('/app/links/deleted') },
  { key: 'account', icon: 'person', name: 'My account', act: () => navigate('/app/account') },
  { key: 'keys', icon: 'key', name: 'API keys', act: () => navigate('/app/account#api-keys') },
];

async function searchEntries(words: string): Promise<readonly Entry[]> {
  const [{ links }, tags] = await Promise.all([
    call('GET /api/v1/link', { query: { q: words, archived: 'any', limit: 6 } }),
    call('GET /api/v1/tag'),
  ]);
  const lowerCaseWords = words.toLowerCase();
  return [
    ...links.map((link) => ({
      key: `link${link.id}`,
      icon: 'link' as const,
      name: shortOf(link),
      detail: link.name ?? withoutScheme(link.destination_url),
      act: () => navigate(pageOf(link)),
    })),
    ...tags
      .filter(({ name }) => name.toLowerCase().includes(lowerCaseWords))
      .slice(0, 4)
      .map((tag) => ({
        key: `tag${tag.id}`,
        icon: 'tag' as const,
        name: tag.name,
        detail: 'Tag',
        act: () => navigate(`/app?tag=${tag.id}`),
      })),
  ];
}

/** One field that finds links, tags, pages and actions. */
export function Palette({ onClose }: { onClose: () => void }) {
  const listId = useId();
  const words = useSignal('');
  const remote = useSignal<readonly Entry[]>([]);
  const error = useSignal<ApiError | null>(null);
  const activeIndex = useSignal(0);
  const isSearching = useSignal(false);
  /** Enter was pressed before the search was done: its first result will be opened. */
  const isChoicePending = useSignal(false);
  useEffect(() => {
    const searchText = words.value.trim();
    if (searchText === '') {
      remote.value = [];
      return;
    }
    let isStale = false;
    const timer = setTimeout(async () => {
      const answer = await searchEntries(searchText).catch((cause) => asApiError(cause));
      if (isStale) return;
      isSearching.value = false;
      remote.value = answer instanceof ApiError ? [] : answer;
      error.value = answer instanceof ApiError ? answer : null;
      if (isChoicePending.value) choose(remote.value[0]);
      isChoicePending.value = false;
    }, 120);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [words.value]);
  const lowerCaseWords = words.value.trim().toLowerCase();
  const type = (text: string) => {
    words.value = text;
    activeIndex.value = 0;
    isSearching.value = text.trim() !== '';
    isChoicePending.value = false;
  };
  const localMatches = fixedEntries.filter(({ name }) => name.toLowerCase().includes(lowerCaseWords));
  const entries = [...localMatches, ...remote.value];
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  useEffect(() => {
    document.getElementById(`${listId}-${activeIndex.value}`)?.scrollIntoView({ block: 'nearest' });
  }, [activeIndex.value]);
  const onKeyDown = (event: KeyboardEvent) => {
    // Such a key belongs to the input method: Enter confirms its text.
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') activeIndex.value = Math.min(activeIndex.value + 1, entries.length - 1);
    else if (event.key === 'ArrowUp') activeIndex.value = Math.max(activeIndex.value - 1, 0);
    else if (event.key === 'Enter') {
      // The results shown are still those of the previous words.
      if (isSearching.value && activeIndex.value >= localMatches.length) isChoicePending.value = true;
      else choose(entries[activeIndex.value]);
    } else return;
    event.preventDefault();
  };
  return (
    <Modal class="palette" aria-label="Find anything" onClose={onClose}>
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={entries[activeIndex.value] ? `${listId}-${activeIndex.value}` : undefined}
          aria-label="Find links, tags, pages and actions"
          placeholder="Find links, tags, pages and actions"
          value={words.value}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div role="listbox" id={listId} aria-label="Found">
        {entries.map((entry, index) => (
          <div
            key={entry.key}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === activeIndex.value}
            onMouseMove={setTo(activeIndex, index)}
            onClick={() => choose(entry)}
            onKeyDown={onKeyDown}
          >
            <Icon name={entry.icon} />
            <span class="cut" dir="auto">
              {entry.name}
            </span>
            {entry.detail && (
              <span class="soft small cut" dir="auto">
                {entry.detail}
              </span>
            )}
          </div>
        ))}
      </div>
      {error.value ? (
        <p class="nothing soft" role="alert">
          Links and tags can't be searched now. {error.value.message}
        </p>
      ) : (
        entries.length === 0 && !isSearching.value && <p class="nothing soft">Nothing has that name.</p>
      )}
    </Modal>
  );
}
