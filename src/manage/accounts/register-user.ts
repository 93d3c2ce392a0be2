import { networkLimits } from '../../auth/rate-limit.ts';
import { digest } from '../../auth/secrets.ts';
import { shellCommand } from '../../bundle/shell-command.ts';
import type { Role } from '../../rules/access.ts';
import { isSameEmail, normaliseEmail } from '../../rules/account.ts';
import { hourLength } from '../../rules/durations.ts';
import { Refusal } from '../../rules/errors.ts';
import { widestNetwork } from '../../rules/networks.ts';
import { findInvitation, type StoredInvitation, takeInvitation } from '../../storage/accounts/invitations.ts';
import { lockOrganizations } from '../../storage/accounts/organizations.ts';
import {
  findUserByEmail,
  hasUsers,
  insertOrganization,
  insertUser,
  type StoredUser,
} from '../../storage/accounts/users.ts';
import { recordOtherChange } from '../../storage/marked-changes.ts';
import type { Queries } from '../../storage/schema.ts';
import { claimSetting, findSetting } from '../../storage/settings.ts';
import { requireBaseUrl, storeBaseUrl } from '../base-url.ts';
import type { Context } from '../context.ts';
import { claimInstance } from '../instance.ts';
import { uselessInvitation } from './invitations.ts';
import { requireUser } from './read-user.ts';

interface Registration {
  readonly email: string;
  readonly password: string;
  readonly name?: string | null | undefined;
  readonly organization_name?: string | null | undefined;
  readonly invitation_token?: string | undefined;
  readonly setup_token?: string | undefined;
  /** The public address, if nothing else defines it. */
  readonly base_url?: string | undefined;
}

/** The origin of a registration. Together with an invitation or open registration, it decides whether it is allowed. */
type RegistrationSource = 'anywhere' | 'this_machine' | 'shell';

/** The key under which an instance remembers that its first account was made. */
export const firstAccount = 'first_account';

/** The setting with a random text that is part of the next setup token. It is made when the last account is deleted. */
export const setupNonce = 'setup_nonce';

/** Proves ownership of the service until there is an account. Derived, so that every node has the same. */
export const setupToken = async ({
  secrets,
  database,
}: Pick<Context, 'secrets' | 'database'>): Promise<string> =>
  secrets.sign('setup', await signedText(database), 24);

/** A token that was used once is of no use after that account's deletion either. */
const signedText = async ({ lookup }: Context['database']): Promise<string> =>
  `first account${(await findSetting(lookup, setupNonce)) ?? ''}`;

export const needsFirstAccount = async ({ database }: Context): Promise<boolean> =>
  !(await hasUsers(database.lookup));

export async function registerUser(
  context: Context,
  input: Registration,
  source: RegistrationSource,
  network = '',
): Promise<StoredUser> {
  const isFirst = await needsFirstAccount(context);
  await refuseUnlessAllowed(context, input, source, isFirst);
  const baseUrl = baseUrlOf(context, input, isFirst);
  await refuseUselessInvitation(context, input);
  // Hashing is expensive, so it is rate-limited for remote clients.
  if (source === 'anywhere')
    await context.limits.reserve(
      networkLimits('register', network, { narrow: 30, middle: 60, wide: 120 }, hourLength),
      'Too many accounts were created from your network.',
    );
  const priority = { clientKey: widestNetwork(network), isKnown: source !== 'anywhere' };
  const hash = await context.passwords.hash(input.password, priority);
  return context.database.write(async (queries) => {
    if (isFirst && !(await claimSetting(queries, firstAccount, String(context.now())))) {
      // Another first account was created while this password was being hashed.
      await refuseUnlessAllowed(context, input, source, false);
    }
    if (baseUrl !== null) await storeBaseUrl(queries, baseUrl);
    const membership = await membershipFor(context, queries, input);
    if (isFirst) await claimInstance(queries, membership.organizationId);
    const email = normaliseEmail(input.email);
    const isTaken = (await findUserByEmail(queries, email)) !== undefined;
    const id = isTaken
      ? null
      : await insertUser(queries, {
          created_at: context.now(),
          email,
          name: input.name || null,
          password_hash: hash,
          organization_id: membership.organizationId,
          role: membership.role,
          email_proven: isProven(source, isFirst) ? 1 : 0,
        });
    if (id === null) {
      throw new Refusal('EMAIL_TAKEN', 'There is an account with this email address. Sign in instead.', {
        field: 'email',
      });
    }
    await recordOtherChange(queries, 'account', id, context.now());
    return requireUser(queries, id);
  });
}

/** Only the first account may set it. */
function baseUrlOf({ config, site }: Context, { base_url }: Registration, isFirst: boolean): string | null {
  if (base_url === undefined) return null;
  if (isFirst && config.baseUrl === null && site.isTrial) return requireBaseUrl(base_url);
  throw new Refusal(
    'FIELD_FIXED',
    `The address of this service is ${site.origin}. It is changed by BASE_URL, where the service runs.`,
    { field: 'base_url' },
  );
}

/** Whether the address is proven: the operator vouches for it. An invitation's link proves nothing: its sender has it too. */
const isProven = (source: RegistrationSource, isFirst: boolean): boolean => source === 'shell' || isFirst;

async function refuseUnlessAllowed(
  context: Context,
  input: Registration,
  source: RegistrationSource,
  isFirst: boolean,
): Promise<void> {
  if (source === 'shell' || input.invitation_token !== undefined) return;
  if (isFirst) {
    if (source === 'this_machine') return;
    if (
      input.setup_token !== undefined &&
      context.secrets.verify('setup', await signedText(context.database), input.setup_token)
    )
      return;
    throw new Refusal(
      'SETUP_TOKEN_WRONG',
      `The first account is made on the machine itself, or with the setup_token: in the folder of Linnet "${shellCommand('setup token')}" shows it.`,
      { field: 'setup_token' },
    );
  }
  if (context.config.registration === 'closed') {
    throw new Refusal(
      'REGISTRATION_CLOSED',
      'New accounts need an invitation here. Ask an administrator of your organization for one.',
    );
  }
}

async function membershipFor(
  context: Context,
  queries: Queries,
  input: Registration,
): Promise<{ readonly organizationId: number; readonly role: Role }> {
  if (input.invitation_token === undefined) {
    const name = input.organization_name || input.name || input.email;
    return { organizationId: await insertOrganization(queries, name, context.now()), role: 'administrator' };
  }
  const hash = digest(input.invitation_token);
  const found = await findInvitation(queries, hash);
  // Locks the membership: a member who leaves at the same time could leave the organization without administrators.
  if (found) await lockOrganizations(queries, [found.organization_id]);
  const invitation = await takeInvitation(queries, hash);
  if (!isValidFor(context, input, invitation)) throw uselessInvitation('invitation_token');
  return { organizationId: invitation.organization_id, role: invitation.role };
}

/** Before the password is hashed: a made-up invitation must not cost us as much as a real one. */
async function refuseUselessInvitation(context: Context, input: Registration): Promise<void> {
  if (input.invitation_token === undefined) return;
  const invitation = await findInvitation(context.database.lookup, digest(input.invitation_token));
  if (!isValidFor(context, input, invitation)) throw uselessInvitation('invitation_token');
}

const isValidFor = (
  context: Context,
  input: Registration,
  invitation: StoredInvitation | undefined,
): invitation is StoredInvitation =>
  invitation !== undefined &&
  invitation.expires_at > context.now() &&
  isSameEmail(invitation.email, input.email);
