import type { ComponentChildren } from 'preact';

interface SectionProps {
  readonly id?: string;
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Tables and lists go to the edge; forms don't. */
  readonly isFlush?: boolean;
  readonly children: ComponentChildren;
}

/** A named part of a page. */
export function Section({ id, title, about, actions, isFlush = false, children }: SectionProps) {
  return (
    <section class="section" id={id} aria-label={title}>
      <header>
        <div>
          <h2>{title}</h2>
          {about && <p class="soft small">{about}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      <div class={isFlush ? 'panel' : undefined}>{children}</div>
    </section>
  );
}
