import { routes } from './routes.ts';

/** What other services call the resources in paths, and common names for them. */
const otherNames: Readonly<Record<string, string>> = {
  api_key: 'key keys',
  clicks: 'click',
  create_tokens: 'token tokens',
  domain: 'customdomains',
  invitation: 'invite invites',
  link: 'bitlinks shorten shortlink shortlinks shorturls url urls',
  organization: 'org orgs',
  refresh_access_token: 'refresh',
  session: 'login',
  stats: 'statistics',
  user: 'accounts me',
};
const otherSegments: ReadonlyMap<string, string> = new Map(
  Object.entries(otherNames).flatMap(([segment, names]) =>
    names.split(' ').map((name) => [name, segment] as const),
  ),
);

const templates = routes.map(({ path }) => path.slice('/api/v1/'.length).split('/'));
const segmentsByPlainName: ReadonlyMap<string, string> = new Map(
  templates.flat().flatMap((segment) => (segment.startsWith('{') ? [] : [[plain(segment), segment]])),
);

function plain(segment: string): string {
  return segment.toLowerCase().replace(/[-_]/g, '');
}

const segmentOf = (sent: string): string => {
  const plainSegment = plain(sent);
  return (
    segmentsByPlainName.get(plainSegment) ??
    otherSegments.get(plainSegment) ??
    segmentsByPlainName.get(plainSegment.replace(/s(?=$|\.)/, '')) ??
    sent
  );
};

/** A word of the API isn't an id: `/link/external` lacks one, and is not the link with the id `external`. */
function mayStandFor(sent: string, segment: string): boolean {
  if (segment === '{id}') return !segmentsByPlainName.has(plain(sent));
  return segment.startsWith('{') || segment === segmentOf(sent);
}

/** The API path that was probably meant: with its prefix, in the singular, without a trailing slash. */
export function suggestedPath(path: string): string | null {
  const [first = '', ...others] = path
    .replace(/^\/+(?:(?:api|rest)(?:\/+|$))?(?:v\d+(?:\/+|$))?/i, '')
    .split('/')
    .filter((segment, index) => segment !== '' && !(index === 1 && segment === 'me'));
  const sent = [segmentOf(first), ...others];
  const template = templates.find(
    (candidate) =>
      candidate.length === sent.length &&
      candidate.every((segment, index) => mayStandFor(sent[index] ?? '', segment)),
  );
  if (template === undefined || path.length > 200) return null;
  return `/api/v1/${template.map((segment, index) => (segment.startsWith('{') ? sent[index] : segment)).join('/')}`;
}
