import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import markUrl from '../mark.svg';

interface AuthPageProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The layout of pages for visitors who are not signed in. */
export function AuthPage({ title, about, children }: AuthPageProps) {
  useEffect(() => {
    document.title = `${title} · Linnet`;
  }, [title]);
  return (
    <div class="auth-page">
      <main>
        <span class="brand">
          <img src={markUrl} alt="" />
          Linnet
        </span>
        <h1>{title}</h1>
        {about && <p class="soft">{about}</p>}
        {children}
      </main>
    </div>
  );
}
