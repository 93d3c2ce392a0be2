import { signal } from '@preact/signals';
import { asApiError } from './api-error.ts';

interface NoticeAction {
  readonly label: string;
  readonly act: () => void;
}

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly action: NoticeAction | null;
}

export const notices = signal<readonly Notice[]>([]);
let latest = 0;
const holdInterval = 1_000;

/** Set by what shows the notices. */
let isInUse: (id: number) => boolean = () => false;

/** A notice stays while this is true of it: its button may be about to be pressed. */
export function holdNoticesWhile(check: (id: number) => boolean): void {
  isInUse = check;
}

interface NoticeOptions {
  readonly action?: NoticeAction;
  /** Undoes what the notice is about, in place of another action. */
  readonly undo?: (() => void) | undefined;
  readonly isError?: boolean;
}

/** Shows a sentence at the edge of the page for a while; longer if it is an error or can be undone. */
export function notify(text: string, { action, undo, isError = false }: NoticeOptions = {}): void {
  const id = ++latest;
  const offered = undo ? { label: 'Undo', act: undo } : (action ?? null);
  const notice: Notice = { id, text, isError, action: offered };
  notices.value = [...notices.value.slice(-2), notice];
  setTimeout(() => expire(id), offered || isError ? 12_000 : 5_000);
}

function expire(id: number): void {
  if (isInUse(id)) setTimeout(() => expire(id), holdInterval);
  else dismissNotice(id);
}

/** Shows why a call failed, in the API's words; `what` is the sentence before that, and `retry` tries again. */
export function notifyError(cause: unknown, what = '', retry?: () => void): void {
  const action = retry && { label: 'Try again', act: retry };
  notify(`${what} ${asApiError(cause).message}`.trimStart(), { isError: true, ...(action && { action }) });
}

export const dismissNotice = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};
