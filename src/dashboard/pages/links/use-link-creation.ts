import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { ApiError } from '../../api-error.ts';
import type { Link } from '../../api-types.ts';
import { type Answer, call } from '../../client.ts';
import { number } from '../../format.ts';
import { copyComing } from '../../parts/copy.tsx';
import { refresh } from '../../queries.ts';
import { search } from '../../router.ts';
import { destinationsIn, maxAtOnce } from './destinations.ts';
import { emptyInput, type NewLinkInput } from './new-link-options.tsx';
import { prefilled } from './prefilled.ts';

export type Made =
  | { readonly kind: 'one'; readonly link: Link; readonly isCopied: boolean }
  | { readonly kind: 'many'; readonly outcomes: readonly Outcome[]; readonly isCopied: boolean };

interface LinkCreation {
  readonly text: ReadonlySignal<string>;
  readonly urls: readonly string[];
  readonly input: Signal<NewLinkInput>;
  /** A problem found before the API is called. */
  readonly complaint: ReadonlySignal<string | null>;
  readonly error: ReadonlySignal<ApiError | null>;
  readonly isRunning: ReadonlySignal<boolean>;
  readonly made: Signal<Made | null>;
  type(text: string): void;
  /** False when nothing was sent. */
  submit(): boolean;
}

/** The state of the field that creates links, and the links that were created and copied. */
export function useLinkCreation(): LinkCreation {
  const text = useSignal('');
  const input = useSignal<NewLinkInput>(prefilled(search.value) ?? emptyInput);
  const complaint = useSignal<string | null>(null);
  const made = useSignal<Made | null>(null);
  /** Text typed since then belongs to the next link, and stays. */
  const settle = (sent: string, rest: string) => {
    if (text.value === sent) text.value = rest;
    input.value = { ...input.value, suffix: '' };
    refresh('links', 'tags', 'domains');
  };
  const { run, error, isRunning } = useAction(async () => {
    const sent = text.value;
    const wanted = destinationsIn(sent);
    const [first = '', ...more] = wanted;
    if (more.length > 0) {
      const making = makeLinks(wanted, input.value);
      const copying = copyComing(making.then(shortLinksOf));
      const outcomes = await making;
      settle(sent, refusedIn(outcomes).join('\n'));
      made.value = { kind: 'many', outcomes, isCopied: linksIn(outcomes).length > 0 && (await copying) };
    } else {
      const making = makeLink(first, input.value);
      const copying = copyComing(making.then(({ url }) => url));
      const link = await making;
      settle(sent, '');
      made.value = { kind: 'one', link, isCopied: await copying };
    }
  });
  return {
    urls: destinationsIn(text.value),
    ...{ text, input, complaint, error, isRunning, made },
    type(typed) {
      text.value = typed;
      complaint.value = null;
    },
    submit() {
      complaint.value = complaintOf(destinationsIn(text.value).length);
      if (complaint.value === null) void run();
      return complaint.value === null;
    },
  };
}

function complaintOf(count: number): string | null {
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

const makeLink = (url: string, input: NewLinkInput): Promise<Link> =>
  call('POST /api/v1/link', {
    body: {
      destination_url: url,
      ...(input.suffix.trim() && { suffix: input.suffix.trim() }),
      ...shared(input),
    },
  });

async function makeLinks(urls: readonly string[], input: NewLinkInput): Promise<readonly Outcome[]> {
  const { results } = await call('POST /api/v1/link/bulk', {
    body: { links: urls.map((destination_url) => ({ destination_url, ...shared(input) })) },
  });
  return results.map((result, index) => outcomeOf(result, urls[index] ?? ''));
}

type Result = Answer<'POST /api/v1/link/bulk'>['results'][number];

const outcomeOf = (result: Result, url: string): Outcome =>
  'link' in result
    ? { kind: 'made', link: result.link }
    : { kind: 'refused', url, sentence: result.error.error_string };

export const linksIn = (outcomes: readonly Outcome[]): readonly Link[] =>
  outcomes.flatMap((outcome) => (outcome.kind === 'made' ? outcome.link : []));

export const refusedIn = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? outcome.url : []));
