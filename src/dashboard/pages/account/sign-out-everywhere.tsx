import { useSignal } from '@preact/signals';
import { call } from '../../client.ts';
import { setTo } from '../../handlers.ts';
import { sayError } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { forgetEverything } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { me } from '../../session.ts';

export function SignOutEverywhere() {
  const isAsked = useSignal(false);
  const leave = async () => {
    isAsked.value = false;
    try {
      await call('POST /api/v1/user/sign_out_everywhere');
    } catch (cause) {
      return sayError(cause, 'You are not signed out.', () => void leave());
    }
    me.value = null;
    forgetEverything();
    navigate('/app/sign-in', { anyway: true });
  };
  return (
    <>
      <Button kind="danger" isSlim onClick={setTo(isAsked, true)}>
        Sign out everywhere
      </Button>
      {isAsked.value && (
        <Confirm
          title="Sign out everywhere?"
          sentence="Every browser and every client with a token has to sign in again, this one too. API keys go on working; delete them one by one."
          action="Sign out everywhere"
          onNo={setTo(isAsked, false)}
          onYes={() => void leave()}
        />
      )}
    </>
  );
}
