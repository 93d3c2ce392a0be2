import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useAction } from '../../action.ts';
import type { Link } from '../../api-types.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { TroubleBesides } from '../../parts/trouble.tsx';
import { refresh } from '../../queries.ts';
import { counted, number } from '../../words.ts';
import { copyComing } from './copy-coming.ts';
import { destinationsIn, mostAtOnce } from './destinations.ts';
import { linksIn, makeLink, makeLinks, type Outcome, refusedIn } from './made.ts';
import { MadeMany } from './made-many.tsx';
import { MadeOne } from './made-one.tsx';
import { NewLinkOptions, noWish, type Wish, wishFields } from './new-link-options.tsx';
import { usePasteAnywhere } from './paste-anywhere.ts';
import { shortOf } from './short.ts';

type Made =
  | { readonly kind: 'one'; readonly link: Link; readonly isCopied: boolean }
  | { readonly kind: 'many'; readonly outcomes: readonly Outcome[]; readonly isCopied: boolean };

const mostRows = 8;

/** The field that makes links: one of an address, many of as many lines. */
export function NewLink({ isFirst }: { isFirst: boolean }) {
  const text = useSignal('');
  const wish = useSignal<Wish>(noWish);
  const areOptionsOpen = useSignal(false);
  const complaint = useSignal<string | null>(null);
  const made = useSignal<Made | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const optionsId = useId();
  const errorId = useId();
  const urls = destinationsIn(text.value);
  const areMany = urls.length > 1;

  const type = (typed: string) => {
    text.value = typed;
    complaint.value = null;
  };
  /** What was typed since is the next link's, and stays. */
  const settle = (sent: string, rest: string) => {
    if (text.value === sent) text.value = rest;
    wish.value = { ...wish.value, suffix: '' };
    refresh('links', 'tags', 'domains');
  };
  const create = useAction(async () => {
    const sent = text.value;
    const [first = ''] = urls;
    if (areMany) {
      const making = makeLinks(urls, wish.value);
      const copying = copyComing(making.then(shortLinksOf));
      const outcomes = await making;
      settle(sent, refusedIn(outcomes).join('\n'));
      made.value = { kind: 'many', outcomes, isCopied: linksIn(outcomes).length > 0 && (await copying) };
    } else {
      const making = makeLink(first, wish.value);
      const copying = copyComing(making.then(({ url }) => url));
      const link = await making;
      settle(sent, '');
      made.value = { kind: 'one', link, isCopied: await copying };
    }
  });
  const submit = () => {
    complaint.value =
      urls.length === 0
        ? 'Paste the long URL that the short link leads to.'
        : urls.length > mostAtOnce
          ? `At most ${number(mostAtOnce)} links are made at once; these are ${number(urls.length)}.`
          : null;
    if (complaint.value === null) void create.run();
    else field.current?.focus();
  };

  usePasteAnywhere((pasted) => {
    type(pasted);
    field.current?.focus();
  });
  useEffect(() => {
    if (isFirst && matchMedia('(hover: hover)').matches) field.current?.focus();
  }, [isFirst]);
  const trouble = create.trouble.value;
  useEffect(() => {
    if (wishFields.some((name) => trouble?.of(name))) areOptionsOpen.value = true;
  }, [trouble]);

  const error = complaint.value ?? trouble?.of('destination_url') ?? null;
  const state = made.value;
  return (
    <div class="stack new-link">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div class="new-link-box">
          <label class="unseen" for="new-link">
            Long URL
          </label>
          <textarea
            ref={field}
            id="new-link"
            rows={Math.min(mostRows, text.value.split('\n').length)}
            wrap="off"
            placeholder="Paste a long URL"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            inputMode="url"
            enterkeyhint="go"
            aria-invalid={error ? 'true' : undefined}
            aria-describedby={error ? errorId : undefined}
            value={text.value}
            onInput={({ currentTarget }) => {
              type(currentTarget.value);
              // Many lines are told apart by how they begin.
              if (currentTarget.value.includes('\n')) currentTarget.scrollLeft = 0;
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
              event.preventDefault();
              submit();
            }}
          />
          <Button type="submit" kind="primary" disabled={create.isRunning.value}>
            {areMany ? `Create ${counted(urls.length, 'link')}` : 'Create link'}
          </Button>
        </div>
        <div class="new-link-foot">
          <button
            type="button"
            class="button plain slim"
            aria-expanded={areOptionsOpen.value}
            aria-controls={optionsId}
            onClick={() => {
              areOptionsOpen.value = !areOptionsOpen.value;
            }}
          >
            <Icon name={areOptionsOpen.value ? 'down' : 'right'} size={16} />
            Options
          </button>
          {!areOptionsOpen.value && <span class="soft small cut">{summaryOf(wish.value, areMany)}</span>}
          {error && (
            <p class="trouble-text" id={errorId} role="alert">
              {error}
            </p>
          )}
        </div>
        <div id={optionsId} hidden={!areOptionsOpen.value}>
          {areOptionsOpen.value && (
            <NewLinkOptions
              wish={wish.value}
              trouble={trouble}
              areMany={areMany}
              onWish={(changed) => {
                wish.value = changed;
              }}
            />
          )}
        </div>
      </form>
      <TroubleBesides
        trouble={trouble}
        fields={['destination_url', ...wishFields]}
        onRetry={() => void create.run()}
      />
      <p class="unseen" role="status">
        {state && announcementOf(state)}
      </p>
      {state?.kind === 'one' && (
        <MadeOne
          key={state.link.id}
          link={state.link}
          isCopied={state.isCopied}
          onDismiss={() => {
            made.value = null;
            field.current?.focus();
          }}
        />
      )}
      {state?.kind === 'many' && (
        <MadeMany
          outcomes={state.outcomes}
          isCopied={state.isCopied}
          onDismiss={() => {
            made.value = null;
            field.current?.focus();
          }}
        />
      )}
    </div>
  );
}

const shortLinksOf = (outcomes: readonly Outcome[]): string =>
  linksIn(outcomes)
    .map(({ url }) => url)
    .join('\n');

/** What is chosen while the options are out of sight. */
const summaryOf = ({ domain, suffix, tags }: Wish, areMany: boolean): string =>
  [domain, areMany ? '' : suffix.trim() && `/${suffix.trim()}`, ...tags.map(({ name }) => name)]
    .filter(Boolean)
    .join(' · ');

function announcementOf(made: Made): string {
  const copied = made.isCopied ? ' and copied' : '';
  if (made.kind === 'one') return `${shortOf(made.link)} created${copied}`;
  return `${counted(linksIn(made.outcomes).length, 'link')} created${copied}`;
}
