import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { call } from '../client.ts';
import { withoutScheme } from '../format.ts';
import { Modal } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { OptionList } from '../parts/picker-options.tsx';
import { maxQueryLength } from '../parts/search-field.tsx';
import { refresh, useQuery } from '../queries.ts';
import { navigate } from '../router.ts';
import { setup } from '../session.ts';
import { nameOf, pageOf, searchedText, shortOf } from '../short-links.ts';
import { useDebounced, usePrevious } from '../use-previous.ts';
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
  if (words === '') return [];
  const [{ links }, tags] = await Promise.all([
    call('GET /api/v1/link', {
      query: { q: searchedText(words, setup.value?.default_domain ?? ''), archived: 'any', limit: 6 },
    }),
    call('GET /api/v1/tag'),
  ]);
  const lowerCaseWords = words.toLowerCase();
  return [
    ...links.map((link) => ({
      key: `link${link.id}`,
      icon: 'link' as const,
      name: shortOf(link),
      detail: nameOf(link) ?? withoutScheme(link.destination_url),
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
  const activeIndex = useSignal(0);
  /** Enter was pressed before the search was done: its first result will be opened. */
  const isChoicePending = useSignal(false);
  const typed = words.value.trim();
  const searched = useDebounced(typed, 120);
  const search = useQuery(`palette ${searched}`, () => searchEntries(searched));
  // Each opening searches anew. After the query's own effect, so that it is no longer in use.
  useEffect(() => () => void refresh('palette'), []);
  const { data: found = [] } = usePrevious(search);
  const error = search.error.value;
  const isSearching = typed !== searched || (!search.data.value && (search.isLoading.value || !error));
  const localMatches = fixedEntries.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
  const entries = typed === '' ? localMatches : [...localMatches, ...found];
  const type = (text: string) => {
    words.value = text;
    activeIndex.value = 0;
    isChoicePending.value = false;
  };
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  useEffect(() => {
    if (isSearching || !isChoicePending.value) return;
    isChoicePending.value = false;
    choose(error ? undefined : found[0]);
  }, [isSearching]);
  const onKeyDown = (event: KeyboardEvent) => {
    // Such a key belongs to the input method: Enter confirms its text.
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') activeIndex.value = Math.min(activeIndex.value + 1, entries.length - 1);
    else if (event.key === 'ArrowUp') activeIndex.value = Math.max(activeIndex.value - 1, 0);
    else if (event.key === 'Enter') {
      // The results shown are still those of the previous words.
      if (isSearching && activeIndex.value >= localMatches.length) isChoicePending.value = true;
      else choose(entries[activeIndex.value]);
    } else return;
    event.preventDefault();
  };
  return (
    <Modal class="palette" aria-label="Find anything" onClose={onClose}>
      <div class="palette-field beside">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={entries[activeIndex.value] ? `${listId}-${activeIndex.value}` : undefined}
          aria-label="Find links, tags, pages and actions"
          placeholder="Find links, tags, pages and actions"
          maxLength={maxQueryLength}
          value={words.value}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <OptionList
        id={listId}
        label="Found"
        options={entries.map((entry) => ({ ...entry, content: <EntryContent {...entry} /> }))}
        activeIndex={activeIndex}
        onChoose={choose}
      />
      {error ? (
        <p class="soft pad" role="alert">
          Links and tags can't be searched now. {error.message}
        </p>
      ) : (
        entries.length === 0 && !isSearching && <p class="soft pad">Nothing has that name.</p>
      )}
    </Modal>
  );
}

const EntryContent = ({ icon, name, detail }: Entry) => (
  <>
    <Icon name={icon} />
    <span class="cut" dir="auto">
      {name}
    </span>
    {detail && (
      <span class="soft small cut" dir="auto">
        {detail}
      </span>
    )}
  </>
);
