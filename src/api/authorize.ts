import { type Authenticator, credentialOf } from '../auth/authenticate.ts';
import { missingCredential } from '../auth/credential-typos.ts';
import type { Caller } from '../rules/access.ts';
import { forAdministrators, Refusal } from '../rules/errors.ts';
import { type PageOwner, pageOwner } from '../rules/page-origin.ts';
import type { Site } from '../rules/site.ts';
import { keepSession, sessionOf } from './session-cookie.ts';

/** Finds the caller for a credential or a session. */
export type CallerResolver = Pick<Authenticator, 'caller' | 'sessionCaller'>;

/** The caller, and the credential that identified it. */
interface Authorization {
  readonly caller: Caller | null;
  /** The value of the session cookie, if no key or token was sent. */
  readonly session: string | null;
  /** The `Set-Cookie` that renews the session. */
  readonly cookie: string | null;
  /** Checks again that the credential is valid, for a member of the same organization. */
  readonly reauthorize: () => Promise<unknown>;
}

/**
 * Whether a call needs a credential. `optional`: with one there is a caller, without one it is null. `own`: a credential that
 * identifies no caller, and that the endpoint checks itself.
 */
export type Credential = 'required' | 'optional' | 'own' | 'none';

export interface Rule {
  readonly credential: Credential;
  readonly administratorsOnly?: boolean;
  /** Refuses calls from other sites' pages even without a cookie: for calls that sign a user in. */
  readonly ownPagesOnly?: boolean;
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A key or token in a header takes precedence: browsers send cookies automatically, but a header is sent on purpose. */
export async function authorize(
  rule: Rule,
  request: Request,
  resolver: CallerResolver,
  site: Site,
): Promise<Authorization> {
  const credential = credentialOf(request.headers);
  const session = credential === null ? sessionOf(request.headers, site) : null;
  if (session !== null || rule.ownPagesOnly) guardOrigin(rule, request, session, site);
  if (rule.credential === 'none' || rule.credential === 'own') return anonymous(session);
  if (session !== null) return authorizeBySession(rule, session, resolver, site);
  if (credential === null && rule.credential === 'optional') return anonymous(null);
  if (credential === null)
    throw new Refusal('KEY_MISSING', missingCredential(request.headers, searchOf(request)));
  const findCaller = () => resolver.caller(credential);
  const caller = await findCaller();
  requireRole(rule, caller);
  return {
    caller,
    session: null,
    cookie: null,
    reauthorize: () => requireSameOrganization(caller, findCaller),
  };
}

const searchOf = ({ url }: Request): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '');

async function authorizeBySession(
  rule: Rule,
  session: string,
  resolver: CallerResolver,
  site: Site,
): Promise<Authorization> {
  try {
    const { caller, isRenewed } = await resolver.sessionCaller(session);
    requireRole(rule, caller);
    const cookie = isRenewed ? keepSession(session, site) : null;
    const findCaller = async () => (await resolver.sessionCaller(session)).caller;
    return { caller, session, cookie, reauthorize: () => requireSameOrganization(caller, findCaller) };
  } catch (cause) {
    // Browsers keep sending the cookie of an ended session: it must not prevent a sign-up.
    const hasEnded = cause instanceof Refusal && cause.code === 'SESSION_ENDED';
    if (rule.credential === 'optional' && hasEnded) return anonymous(session);
    throw cause;
  }
}

/** A session or token stays valid when its user changes organization; what it may see changes. */
async function requireSameOrganization(
  { organizationId }: Caller,
  findCaller: () => Promise<Caller>,
): Promise<void> {
  const current = await findCaller();
  if (current.organizationId !== organizationId)
    throw new Refusal('FORBIDDEN', 'You belong to another organization now. Ask again.');
}

const anonymous = (session: string | null): Authorization => ({
  caller: null,
  session,
  cookie: null,
  reauthorize: async () => {},
});

/**
 * A call authorized by a cookie must come from one of our own pages. Otherwise a program may call without an origin, and only
 * pages known to belong to other sites are refused.
 */
function guardOrigin({ credential }: Rule, { method, headers }: Request, session: string | null, site: Site) {
  if (safeMethods.has(method)) return;
  const owner = pageOwner(site, {
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    host: headers.get('host'),
  });
  const isAuthorizedByCookie = session !== null && (credential === 'required' || credential === 'optional');
  const allowed: readonly PageOwner[] = isAuthorizedByCookie ? ['ours'] : ['ours', 'unsaid'];
  if (allowed.includes(owner)) return;
  throw new Refusal(
    'ORIGIN_FORBIDDEN',
    `This call came from a page that is not part of ${site.origin}. Open Linnet there and try again; programs send an API key instead of a cookie.`,
  );
}

function requireRole({ administratorsOnly }: Rule, { role }: Caller): void {
  if (administratorsOnly && role !== 'administrator') throw forAdministrators();
}
