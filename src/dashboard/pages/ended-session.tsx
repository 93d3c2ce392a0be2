import { Dialog } from '../parts/dialog.tsx';
import { refresh } from '../queries.ts';
import { me, sessionHasEnded } from '../session.ts';
import { SignInForm } from './sign-in.tsx';

/** Covers the current page, so that nothing typed there is lost. */
export function EndedSession() {
  return (
    <Dialog title="Your session has ended" onClose={() => {}} isFirm>
      <p class="soft">Sign in again to continue. What you typed is still there.</p>
      <SignInForm
        knownEmail={me.value?.email ?? ''}
        onDone={() => {
          sessionHasEnded.value = false;
          refresh('');
        }}
      />
    </Dialog>
  );
}
