import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Query } from '../queries.ts';
import { ErrorBox } from './error-box.tsx';

interface PageProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  /** Beside the title. */
  readonly actions?: ComponentChildren;
  /** The title is only for the window and screen readers. */
  readonly isTitleUnseen?: boolean;
  readonly children: ComponentChildren;
}

/** A page's title, in the window and as its heading, which gets the focus on arrival unless something else has it. */
export function Page({ title, about, actions, isTitleUnseen = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Linnet`;
  }, [title]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement?.closest('.top'))
      heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <div class={isTitleUnseen ? 'unseen' : 'page-head'}>
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about && <p class="about soft">{about}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}

/** Shown in place of what is loading. */
export const Skeleton = ({ height }: { height: number }) => (
  <div class="skeleton" style={{ height: `${height}px` }} aria-busy="true" />
);

interface LoadedProps<T> {
  readonly query: Query<T>;
  /** The height of the skeleton. */
  readonly height?: number;
  readonly children: (data: T) => ComponentChildren;
}

/** The answer to a query, or its error; a skeleton until then. */
export function Loaded<T>({ query, height = 240, children }: LoadedProps<T>) {
  const data = query.data.value;
  const error = query.error.value;
  return (
    <>
      <ErrorBox error={error} onRetry={() => void query.reload()} />
      {data !== undefined ? children(data) : !error && <Skeleton height={height} />}
    </>
  );
}
