import type { ComponentChildren } from 'preact';

/** Nothing here yet: what this place is for, and the one next step. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
