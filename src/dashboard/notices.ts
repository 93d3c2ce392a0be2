import { signal } from '@preact/signals';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly action: { readonly label: string; readonly act: () => void } | null;
}

export const notices = signal<readonly Notice[]>([]);
let latest = 0;

/** A sentence at the edge of the page, for a while; longer where something can be taken back. */
export function say(
  text: string,
  more: { action?: { label: string; act: () => void }; isError?: boolean } = {},
): () => void {
  const id = ++latest;
  const notice: Notice = { id, text, isError: more.isError ?? false, action: more.action ?? null };
  notices.value = [...notices.value.slice(-2), notice];
  const dismiss = () => {
    notices.value = notices.value.filter((other) => other.id !== id);
  };
  setTimeout(dismiss, more.action || more.isError ? 12_000 : 5_000);
  return dismiss;
}

export const dismissNotice = (id: number): void => {
  notices.value = notices.value.filter((notice) => notice.id !== id);
};
