import { signal } from '@preact/signals';
import { type ApiError, asApiError } from './api-error.ts';
import { type Answer, call, whenSessionEnds } from './client.ts';
import { notify } from './notices.ts';
import { forgetEverything, refresh } from './queries.ts';

type Me = Answer<'GET /api/v1/user'>;
export type Setup = Answer<'GET /api/v1/setup'>;

/** Undefined until it has loaded; null: not signed in. */
export const me = signal<Me | null | undefined>(undefined);
export const setup = signal<Setup | undefined>(undefined);
export const startError = signal<ApiError | null>(null);
/** The session ended while the dashboard was open: the user signs in over the page, so that nothing typed is lost. */
export const sessionHasEnded = signal(false);

export async function start(): Promise<void> {
  startError.value = null;
  try {
    setup.value = await call('GET /api/v1/setup');
    me.value = await loadUser();
  } catch (cause) {
    startError.value = asApiError(cause);
  }
}

async function loadUser(): Promise<Me | null> {
  try {
    return await call('GET /api/v1/user');
  } catch (cause) {
    if (asApiError(cause).status === 401) return null;
    throw cause;
  }
}

/** Whether what was loaded before is not theirs. A user who is removed from an organization has another one. */
const isAnother = (before: Me, now: Me): boolean =>
  now.id !== before.id || now.organization_id !== before.organization_id;

export async function signIn(email: string, password: string): Promise<void> {
  const before = me.value;
  const user = await call('POST /api/v1/session', { body: { email, password } });
  me.value = user;
  if (before && isAnother(before, user)) {
    forgetEverything();
    notify(`You are signed in as ${user.email}, of ${user.organization_name}.`);
  }
  sessionHasEnded.value = false;
  if (setup.value) setup.value = { ...setup.value, needs_first_account: false };
}

export async function signOut(): Promise<void> {
  await call('DELETE /api/v1/session');
  me.value = null;
  forgetEverything();
}

whenSessionEnds(() => {
  if (me.value) sessionHasEnded.value = true;
});

/** The session may have ended, begun or changed its user in another window meanwhile. */
async function reloadUser(): Promise<void> {
  const before = me.value;
  if (!before || document.visibilityState === 'hidden') return;
  // Without an answer nothing changes: the next call will show the error.
  const now = await call('GET /api/v1/user').catch(() => null);
  if (!now || me.value !== before) return;
  const isOther = isAnother(before, now);
  me.value = now;
  if (isOther) {
    forgetEverything();
    notify(`You are signed in as ${now.email}, of ${now.organization_name}, since another window.`);
  }
  if (isOther || now.role !== before.role || sessionHasEnded.value) {
    sessionHasEnded.value = false;
    refresh('');
  }
}

document.addEventListener('visibilitychange', () => void reloadUser());
addEventListener('focus', () => void reloadUser());
