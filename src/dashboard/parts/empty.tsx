import type { ComponentChildren } from 'preact';

/** Shown instead of an empty list: what it is for, and the next step. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
