import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { ApiError } from '../../api-error.ts';
import type { Link } from '../../api-types.ts';
import { copyComing } from '../../parts/copy.tsx';
import { refresh } from '../../queries.ts';
import { number } from '../../words.ts';
import { destinationsIn, maxAtOnce } from './destinations.ts';
import { linksIn, makeLink, makeLinks, type Outcome, refusedIn } from './made.ts';
import { emptyInput, type NewLinkInput } from './new-link-options.tsx';

export type Made =
  | { readonly kind: 'one'; readonly link: Link; readonly isCopied: boolean }
  | { readonly kind: 'many'; readonly outcomes: readonly Outcome[]; readonly isCopied: boolean };

interface Making {
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
export function useMaking(): Making {
  const text = useSignal('');
  const input = useSignal<NewLinkInput>(emptyInput);
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
  if (count === 0) return 'Paste the long URL that the short link leads to.';
  return count > maxAtOnce
    ? `At most ${number(maxAtOnce)} links are made at once; these are ${number(count)}.`
    : null;
}

const shortLinksOf = (outcomes: readonly Outcome[]): string =>
  linksIn(outcomes)
    .map(({ url }) => url)
    .join('\n');
