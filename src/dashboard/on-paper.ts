import { signal } from '@preact/signals';
import { ApiError } from './api-error.ts';
import type { Link } from './api-types.ts';
import { call } from './client.ts';
import { notifyError } from './notices.ts';
import { refresh, updateCached } from './queries.ts';

/** What the change does to a link that is in print. */
type PrintedChange = 'end' | 'address';

interface Topic {
  readonly change?: PrintedChange;
  /** Which links, where the page shows others too. */
  readonly links?: string;
}

interface Question extends Topic {
  readonly id: number;
  readonly answer: (isConfirmed: boolean) => void;
}

/** The confirmation dialog for a printed link, while it is open. */
export const printQuestion = signal<Question | null>(null);

let asked = 0;
/** The answer to the latest question. */
let answered: Promise<unknown> = Promise.resolve();

/** Questions are asked one after another, so that no answer is taken for that to another. */
function ask(topic: Topic): Promise<boolean> {
  const isConfirmed = answered.then(
    () =>
      new Promise<boolean>((resolve) => {
        const answer = (confirmed: boolean) => {
          printQuestion.value = null;
          resolve(confirmed);
        };
        printQuestion.value = { ...topic, id: ++asked, answer };
      }),
  );
  answered = isConfirmed;
  return isConfirmed;
}

/** Makes the call; if it is refused because a link is in print, asks the user and makes it again with a confirmation. */
export async function confirmingPrint<T>(
  send: (confirm: true | undefined) => Promise<T>,
  topic: Topic = {},
): Promise<T> {
  try {
    return await send(undefined);
  } catch (cause) {
    if (!isOnPaper(cause)) throw cause;
    if (!(await ask(topic))) throw notConfirmed();
    return send(true);
  }
}

const notConfirmed = (): ApiError =>
  new ApiError(409, [
    { code: 'LINK_ON_PAPER', sentence: 'Nothing was changed, because it is in print.', field: null },
  ]);

export const isOnPaper = (cause: unknown): boolean =>
  cause instanceof ApiError && cause.code === 'LINK_ON_PAPER';

/** Marks a link as printed: a file of its QR code was downloaded, presumably to be printed. */
export async function markOnPaper(link: Link): Promise<void> {
  if (link.on_paper) return;
  try {
    const marked = await call('PATCH /api/v1/link/{id}', {
      params: { id: link.id },
      body: { on_paper: true },
    });
    updateCached<Link>(`link ${link.id}`, () => marked);
    void refresh('links');
  } catch (cause) {
    notifyError(cause, 'The link was not marked as printed.');
  }
}
