import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy } from './lazy.tsx';
import { LinksPage } from './pages/links.tsx';
import { PageNotFound } from './pages/page-not-found.tsx';
import { SetUpPage } from './pages/set-up.tsx';
import { EndedSession, SignInPage } from './pages/sign-in.tsx';
import { SignUpPage } from './pages/sign-up.tsx';
import { Confirmation } from './parts/confirmation.tsx';
import { ErrorBoundary } from './parts/error-boundary.tsx';
import { ErrorBox } from './parts/error-box.tsx';
import { Notices } from './parts/notices.tsx';
import { match, navigate, path } from './router.ts';
import { me, sessionHasEnded, setup, start, startError } from './session.ts';
import { PrintQuestion } from './shell/print-question.tsx';
import { Shell } from './shell/shell.tsx';

const LinkPage = lazy(() => import('./pages/link.tsx').then((page) => page.LinkPage));
const DeletedPage = lazy(() => import('./pages/deleted.tsx').then((page) => page.DeletedPage));
const StatsPage = lazy(() => import('./pages/stats.tsx').then((page) => page.StatsPage));
const TagsPage = lazy(() => import('./pages/tags.tsx').then((page) => page.TagsPage));
const DomainsPage = lazy(() => import('./pages/domains.tsx').then((page) => page.DomainsPage));
const DomainPage = lazy(() => import('./pages/domain.tsx').then((page) => page.DomainPage));
const OrganizationPage = lazy(() => import('./pages/organization.tsx').then((page) => page.OrganizationPage));
const NodesPage = lazy(() => import('./pages/nodes.tsx').then((page) => page.NodesPage));
const AccountPage = lazy(() => import('./pages/account.tsx').then((page) => page.AccountPage));
const ForgotPage = lazy(() => import('./pages/forgot.tsx').then((page) => page.ForgotPage));
const ResetPage = lazy(() => import('./pages/reset.tsx').then((page) => page.ResetPage));
const InvitationPage = lazy(() => import('./pages/invitation.tsx').then((page) => page.InvitationPage));

type PathParameters = Readonly<Record<string, string>>;

/** Every page of a signed-in user, by its address. */
const pages: readonly (readonly [string, (parameters: PathParameters) => ComponentChildren])[] = [
  ['/app', () => <LinksPage />],
  ['/app/links/deleted', () => <DeletedPage />],
  ['/app/links/:id', ({ id = '' }) => <LinkPage key={id} id={id} tab="details" />],
  ['/app/links/:id/:tab', ({ id = '', tab = '' }) => <LinkPage key={id} id={id} tab={tab} />],
  ['/app/stats', () => <StatsPage />],
  ['/app/tags', () => <TagsPage />],
  ['/app/domains', () => <DomainsPage />],
  ['/app/domains/:id', ({ id = '' }) => <DomainPage key={id} id={id} />],
  ['/app/organization', () => <OrganizationPage />],
  ['/app/organization/nodes', () => <NodesPage />],
  ['/app/account', () => <AccountPage />],
];

function pageAt(pathname: string): ComponentChildren {
  for (const [pattern, page] of pages) {
    const parameters = match(pattern, pathname);
    if (parameters) return page(parameters);
  }
  return <PageNotFound />;
}

const signedOutPaths = ['/app/sign-in', '/app/sign-up', '/app/set-up'];

export function App() {
  return (
    <>
      <Content />
      {sessionHasEnded.value && <EndedSession />}
      <PrintQuestion />
      <Confirmation />
      <Notices />
    </>
  );
}

function Content() {
  if (startError.value) {
    return (
      <div class="auth-page">
        <main>
          <ErrorBox error={startError.value} onRetry={() => void start()} />
        </main>
      </div>
    );
  }
  if (me.value === undefined || !setup.value) return null;
  const invitation = match('/invitation/:token', path.value);
  if (invitation) return <InvitationPage token={invitation.token ?? ''} />;
  if (me.value === null && setup.value.needs_first_account) return <SetUpPage />;
  const reset = match('/app/reset/:token', path.value);
  if (reset) return <ResetPage key={reset.token} token={reset.token ?? ''} />;
  if (match('/app/forgot', path.value)) return <ForgotPage />;
  if (me.value === null && setup.value.registration_open && match('/app/sign-up', path.value))
    return <SignUpPage />;
  if (me.value === null) return <SignInPage />;
  if (signedOutPaths.includes(path.value)) return <Redirect to="/app" />;
  return (
    <Shell>
      <ErrorBoundary>{pageAt(path.value)}</ErrorBoundary>
    </Shell>
  );
}

function Redirect({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}
