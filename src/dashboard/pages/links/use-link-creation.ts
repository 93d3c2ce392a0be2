import { signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useAction } from '../../action.ts';
import { sentenceOf } from '../../api-error.ts';
import type { Link } from '../../api-types.ts';
import type { Answer } from '../../client.ts';
import { type CreateOnce, onceCreator } from '../../create-once.ts';
import { number } from '../../format.ts';
import { copyWhenReady } from '../../parts/copy.tsx';
import { refresh } from '../../queries.ts';
import { search } from '../../router.ts';
import { me } from '../../session.ts';
import { destinationsIn, maxAtOnce, withoutSent, withRefused } from './destinations.ts';
import { emptyInput, type NewLinkInput } from './new-link-options.tsx';
import { prefilled } from './prefilled.ts';

export type Created =
  | { readonly kind: 'one'; readonly link: Link; readonly isCopied: boolean }
  | { readonly kind: 'many'; readonly outcomes: readonly Outcome[]; readonly isCopied: boolean };

const newDraft = (user: number | undefined, input: NewLinkInput) => ({
  user,
  text: signal(''),
  input: signal(input),
  createOnce: onceCreator(),
});

/** The lines that a user has typed, or that were refused, and their options: kept while other pages are shown. */
let draft = newDraft(undefined, emptyInput);

function useDraft() {
  return useMemo(() => {
    const user = me.value?.id;
    const input = prefilled(search.value);
    if (input !== null || draft.user !== user || draft.text.value.trim() === '')
      draft = newDraft(user, input ?? emptyInput);
    return draft;
  }, []);
}

/** The state of the field that creates links, and the links that were created and copied. */
export function useLinkCreation() {
  const { text, input, createOnce } = useDraft();
  /** A problem found before the API is called. */
  const inputProblem = useSignal<string | null>(null);
  const created = useSignal<Created | null>(null);
  /** Removes what was sent, except for refused lines. Input since then belongs to the next link, and stays. */
  const clearSent = (sent: string, suffix: string, refused: readonly string[]) => {
    text.value = withRefused(withoutSent(text.value, sent), refused);
    if (input.value.suffix === suffix) input.value = { ...input.value, suffix: '' };
    refresh('links', 'tags', 'domains', 'utm values');
  };
  const { run, error, isRunning } = useAction(async () => {
    const sent = text.value;
    const { suffix } = input.value;
    const destinations = destinationsIn(sent);
    const [first = '', ...more] = destinations;
    if (more.length > 0) {
      const creation = createLinks(createOnce, destinations, input.value);
      const copying = copyWhenReady(creation.then(shortLinksOf));
      const outcomes = await creation;
      clearSent(sent, suffix, refusedIn(outcomes));
      created.value = { kind: 'many', outcomes, isCopied: linksIn(outcomes).length > 0 && (await copying) };
    } else {
      const creation = createLink(createOnce, first, input.value);
      const copying = copyWhenReady(creation.then(({ url }) => url));
      const link = await creation;
      clearSent(sent, suffix, []);
      created.value = { kind: 'one', link, isCopied: await copying };
    }
  });
  return {
    urls: destinationsIn(text.value),
    text,
    input,
    inputProblem,
    error,
    isRunning,
    created,
    type(typed: string) {
      text.value = typed;
      inputProblem.value = null;
    },
    /** False if nothing was sent. */
    submit(): boolean {
      inputProblem.value = inputProblemOf(destinationsIn(text.value).length);
      if (inputProblem.value === null) void run();
      return inputProblem.value === null;
    },
  };
}

function inputProblemOf(count: number): string | null {
  if (count === 0) return 'Paste the long URL to which the short link leads.';
  return count > maxAtOnce
    ? `At most ${number(maxAtOnce)} links are created at once; these are ${number(count)}.`
    : null;
}

const shortLinksOf = (outcomes: readonly Outcome[]): string =>
  linksIn(outcomes)
    .map(({ url }) => url)
    .join('\n');

/** The result of one line. */
export type Outcome =
  | { readonly kind: 'made'; readonly link: Link }
  | { readonly kind: 'refused'; readonly url: string; readonly sentence: string };

const shared = ({ domain, tags }: NewLinkInput) => ({
  ...(domain && { domain }),
  ...(tags.length > 0 && { tags: tags.map(({ id }) => id) }),
});

function createLink(createOnce: CreateOnce, url: string, input: NewLinkInput): Promise<Link> {
  const suffix = input.suffix.trim();
  const body = { destination_url: url, ...(suffix && { suffix }), ...shared(input) };
  return createOnce('POST /api/v1/link', { body });
}

async function createLinks(
  createOnce: CreateOnce,
  urls: readonly string[],
  input: NewLinkInput,
): Promise<readonly Outcome[]> {
  const body = { links: urls.map((destination_url) => ({ destination_url, ...shared(input) })) };
  const { results } = await createOnce('POST /api/v1/link/bulk', { body });
  return results.map((result, index) => outcomeOf(result, urls[index] ?? ''));
}

type Result = Answer<'POST /api/v1/link/bulk'>['results'][number];

const outcomeOf = (result: Result, url: string): Outcome =>
  'link' in result
    ? { kind: 'made', link: result.link }
    : { kind: 'refused', url, sentence: sentenceOf(result.error) };

export const linksIn = (outcomes: readonly Outcome[]): readonly Link[] =>
  outcomes.flatMap((outcome) => (outcome.kind === 'made' ? outcome.link : []));

export const refusedIn = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? outcome.url : []));
