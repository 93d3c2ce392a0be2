import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface SectionProps {
  readonly id?: string;
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** In a frame without padding, for tables and lists. */
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

interface PanelProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly class?: string;
  /** Beside the title. */
  readonly aside?: ComponentChildren;
  /** Without padding, for lists. */
  readonly isFlush?: boolean;
  readonly children: ComponentChildren;
}

/** A part of a page in a frame. */
export function Panel({ title, about, class: name = '', aside, isFlush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${name}`} aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {about && <p class="soft small">{about}</p>}
        </div>
        {aside}
      </header>
      {isFlush ? children : <div class="body">{children}</div>}
    </section>
  );
}
