import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Section } from '../../parts/section.tsx';
import { TroubleBesides } from '../../parts/trouble.tsx';
import { forgetEverything } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { me } from '../../session.ts';

export function SessionsSection() {
  const isAsked = useSignal(false);
  const leave = useAction(async () => {
    await call('POST /api/v1/user/sign_out_everywhere');
    me.value = null;
    forgetEverything();
    navigate('/app/sign-in', { anyway: true });
  });
  return (
    <Section
      title="Sessions"
      about="Ends every session and every access token of yours, this one too. API keys go on working; delete them one by one."
    >
      <TroubleBesides trouble={leave.trouble.value} fields={[]} onRetry={() => void leave.run()} />
      <Button
        kind="danger"
        onClick={() => {
          isAsked.value = true;
        }}
      >
        Sign out everywhere
      </Button>
      {isAsked.value && (
        <Confirm
          title="Sign out everywhere?"
          sentence="Every browser and every client with a token has to sign in again, this one too."
          deed="Sign out everywhere"
          onNo={() => {
            isAsked.value = false;
          }}
          onYes={() => {
            isAsked.value = false;
            void leave.run();
          }}
        />
      )}
    </Section>
  );
}
