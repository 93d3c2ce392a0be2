import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
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
import { forgetEverything, useQuery } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { me } from '../../session.ts';

/** What happens to the organization when its member leaves. */
type Fate = 'stays' | 'goes' | 'prevents';

function fateOf(members: readonly Member[]): Fate {
  if (members.length < 2) return 'goes';
  const administrators = members.filter(({ role }) => role === 'administrator');
  return administrators.length === 1 && administrators[0]?.id === me.value?.id ? 'prevents' : 'stays';
}

export function DeleteAccount() {
  const members = useQuery('members', () => call('GET /api/v1/member'));
  return (
    <Section title="Delete account" about="Your account is deleted at once, and can't be restored.">
      <Loaded query={members} height={60}>
        {(known) => <Deletion fate={fateOf(known)} />}
      </Loaded>
    </Section>
  );
}

function Deletion({ fate }: { fate: Fate }) {
  const isAsked = useSignal(false);
  const organization = me.value?.organization_name ?? '';
  if (fate === 'prevents') {
    return (
      <p class="soft">
        You are the only administrator of {organization}. Make another member administrator on the page{' '}
        <a href="/app/organization">Organization</a> first.
      </p>
    );
  }
  return (
    <>
      <Button kind="danger" icon="trash" onClick={setTo(isAsked, true)}>
        Delete account
      </Button>
      {isAsked.value && <Asked isAlone={fate === 'goes'} onClose={setTo(isAsked, false)} />}
    </>
  );
}

function Asked({ isAlone, onClose }: { isAlone: boolean; onClose: () => void }) {
  const password = useSignal('');
  const remove = useAction(async () => {
    await call('DELETE /api/v1/user', {
      body: { password: password.value, ...(isAlone && { confirm: 'delete_organization' }) },
    });
    me.value = null;
    forgetEverything();
    notify('Your account is deleted.');
    navigate('/app/sign-in', { anyway: true });
  });
  return (
    <Dialog title="Delete your account?" onClose={onClose}>
      <p class="soft">
        Your name, your mail address and your password are deleted, with your sessions, your API keys and
        invitations to you.
      </p>
      {isAlone ? (
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
            {isAlone ? 'Delete account and organization' : 'Delete account'}
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
  const had =
    count === undefined ? 'its links' : count === 0 ? 'what it has' : `its ${counted(count, 'link')}`;
  return (
    <p class="soft">
      Nobody else is in {organization}, so it is deleted too: {had}, clicks, tags, domains and webhooks. Its
      short links, on paper or on a screen, stop working.
    </p>
  );
}
