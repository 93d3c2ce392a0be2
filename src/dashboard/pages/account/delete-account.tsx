import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useAction } from '../../action.ts';
import { ApiError, asApiError } from '../../api-error.ts';
import type { Member } from '../../api-types.ts';
import { call } from '../../client.ts';
import { counted } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { notify } from '../../notices.ts';
import { CurrentPasswordField } from '../../parts/account-fields.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { forgetEverything, refresh, useQuery } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { me, sessionHasEnded } from '../../session.ts';

/** What the deletion of the account means for the organization: it stays, is deleted as well, or prevents the deletion. */
type OrganizationOutcome = 'stays' | 'goes' | 'prevents';

function organizationOutcome(members: readonly Member[]): OrganizationOutcome {
  if (members.length < 2) return 'goes';
  const administrators = members.filter(({ role }) => role === 'administrator');
  return administrators.length === 1 && administrators[0]?.id === me.value?.id ? 'prevents' : 'stays';
}

export function DeleteAccount() {
  const members = useQuery('members', () => call('GET /api/v1/member'));
  return (
    <Section title="Delete account" about="Your account is deleted at once, and can't be restored.">
      <Loaded query={members} height={60}>
        {(known) => <Deletion outcome={organizationOutcome(known)} />}
      </Loaded>
    </Section>
  );
}

function Deletion({ outcome }: { outcome: OrganizationOutcome }) {
  const isConfirming = useSignal(false);
  const organization = me.value?.organization_name ?? '';
  if (outcome === 'prevents') {
    return (
      <p class="soft">
        You are the only administrator of {organization}. Make another member administrator on the page{' '}
        <a href="/app/organization">Organization</a> first.
      </p>
    );
  }
  return (
    <>
      <Button kind="danger" icon="trash" onClick={setTo(isConfirming, true)}>
        Delete account
      </Button>
      {isConfirming.value && (
        <DeleteAccountDialog isOnlyMember={outcome === 'goes'} onClose={setTo(isConfirming, false)} />
      )}
    </>
  );
}

const othersHaveLeft = (): ApiError =>
  new ApiError(409, [
    {
      code: 'ORGANIZATION_IN_USE',
      sentence:
        'Nothing is deleted so far: you are the only member of your organization now, so it would be deleted too. Press again if that is meant.',
      field: null,
    },
  ]);

function DeleteAccountDialog({ isOnlyMember, onClose }: { isOnlyMember: boolean; onClose: () => void }) {
  const password = useSignal('');
  const isUnanswered = useRef(false);
  const remove = useAction(async () => {
    await call('DELETE /api/v1/user', {
      body: { password: password.value, ...(isOnlyMember && { confirm: 'delete_organization' }) },
    }).catch((cause) => {
      const { status, code, isTransient, problems } = asApiError(cause);
      // An attempt whose answer was lost has deleted it.
      if (status === 401 && isUnanswered.current) return;
      if (isTransient) isUnanswered.current = true;
      // Others may have left, or have got another role, since the members were read.
      if (status === 409) refresh('members');
      const lacksConfirmation = code === 'ORGANIZATION_IN_USE' && problems[0]?.field === 'confirm';
      throw lacksConfirmation ? othersHaveLeft() : cause;
    });
    me.value = null;
    sessionHasEnded.value = false;
    forgetEverything();
    notify('Your account is deleted.');
    navigate('/app/sign-in', { force: true });
  });
  return (
    <Dialog title="Delete your account?" onClose={onClose}>
      <p class="soft">
        Your name, your mail address and your password are deleted, with your sessions, your API keys and
        invitations to you.
      </p>
      {isOnlyMember ? (
        <WithOrganization />
      ) : (
        <p class="soft">Links that you created stay: they belong to your organization.</p>
      )}
      <Form action={remove} fields={['password']}>
        <input type="hidden" name="username" autocomplete="username" value={me.value?.email ?? ''} />
        <CurrentPasswordField field="password" label="Your password" signal={password} />
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={remove.isRunning.value}>
            {isOnlyMember ? 'Delete account and organization' : 'Delete account'}
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

/** The only member of an organization deletes it as well. */
function WithOrganization() {
  const links = useQuery(
    'links of all',
    async () => (await call('GET /api/v1/link', { query: { archived: 'any', limit: 1 } })).total_links,
  );
  const { organization_name: organization = '' } = me.value ?? {};
  const count = links.data.value;
  const contents =
    count === undefined ? 'its links' : count === 0 ? 'what it has' : `its ${counted(count, 'link')}`;
  return (
    <p class="soft">
      Nobody else is in {organization}, so it is deleted too: {contents}, clicks, tags, domains and webhooks.
      Its short links, on paper or on a screen, stop working.
    </p>
  );
}
