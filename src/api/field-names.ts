import type { Problem } from '../rules/errors.ts';
import { truncated } from './truncate.ts';

/**
 * Names that other link shorteners use for these fields and parameters, or that are common: in lower case, without dashes and
 * underscores. If a name may mean several fields, the first one that the call takes is suggested.
 */
const otherNames = {
  destination_url:
    'dest destination fullurl href link location longurl originalurl redirect redirecturl target targeturl to uri url',
  suffix:
    'alias backhalf code customalias customslug customurl ending hash key keyword path shortcode shortcodelength shorturl slashtag slug',
  domain: 'domainid domainname host hostname name',
  expiration_date:
    'expiration expirationtime expire expireat expirein expires expiresat expiry expirydate validuntil',
  start_date: 'activateat activefrom notbefore publishat start startat startsat validfrom validsince',
  expired_url: 'expiredredirect expiredurl expiryurl fallback fallbackurl',
  click_limit: 'clickslimit maxclicks maxvisits visitlimit visitslimit',
  forward_query: 'forwardparameters forwardparams forwardquerystring passquery passthrough',
  forward_path: 'appendpath extrapath forwardextrapath',
  redirect_status: 'redirectcode redirecttype status statuscode',
  android_link_destination: 'android androidurl deeplinkandroid',
  ios_link_destination: 'deeplinkios ios iosurl ipad iphone iphoneurl',
  bot_protection: 'blockbots',
  qr_code_foreground_hex: 'fgcolor foregroundcolor qrcolor',
  qr_code_background_hex: 'backgroundcolor bgcolor',
  webhook_url: 'callbackurl url webhook',
  webhook_auth_key: 'secret webhooksecret',
  target_url: 'url',
  root_url: 'root',
  not_found_url: 'notfound',
  external_id: 'customid externalkey foreignid referenceid',
  tags: 'addtags labels removetags tag tagid tagids tagnames',
  tag: 'tagid tagids tagnames tags',
  add_tags: 'tags',
  og_image: 'image imageurl metaimage preview',
  og_description: 'description metadescription',
  email: 'login mail user username',
  name: 'comments description displayname fullname label tag title username',
  og_title: 'metatitle title',
  current_password: 'oldpassword password',
  new_password: 'newpassword password',
  password: 'newpassword pass passwd pwd',
  organization_name: 'organisation organisationname organization',
  token: 'code',
  links: 'data items urls',
  ids: 'id linkids',
  q: 'filter keyword query s search searchterm text',
  from: 'after datefrom since start startat startdate',
  to: 'dateto end enddate to until',
  cursor: 'next nextpagetoken pagetoken startingafter',
  limit: 'count max maxresults pagesize perpage results size take',
  offset: 'after cursor page skip start',
  before: 'cursor page startingafter',
  sort: 'direction order orderby sortby',
  group_by: 'dimension group groupby',
  interval: 'granularity period unit',
  timezone: 'tz',
};

/** For each other name, the fields that it may mean. */
const fieldsByOtherName = Map.groupBy(
  Object.entries(otherNames).flatMap(([field, names]) => names.split(' ').map((name) => ({ field, name }))),
  ({ name }) => name,
);

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The known name that was probably meant; null if none is similar. */
export function suggestedName(sent: string, known: readonly string[]): string | null {
  const plainName = plain(sent);
  if (plainName === '') return null;
  const same = known.find((name) => plain(name) === plainName);
  if (same !== undefined) return same;
  const other = fieldsByOtherName.get(plainName)?.find(({ field }) => known.includes(field));
  if (other !== undefined) return other.field;
  const nearest = known
    .map((name) => ({ name, distance: editDistance(plainName, plain(name)) }))
    .sort((one, two) => one.distance - two.distance)[0];
  return nearest !== undefined && nearest.distance <= Math.min(2, Math.floor(plainName.length / 3))
    ? nearest.name
    : null;
}

export function unknownField(sent: string, known: readonly string[]): Problem {
  const name = JSON.stringify(truncated(sent));
  const meant = suggestedName(sent, known);
  return {
    code: 'FIELD_UNKNOWN',
    field: sent,
    sentence:
      misplacedFieldHint(sent, known) ??
      (meant === null
        ? `There is no field ${name} here. Check its spelling, or leave it out.`
        : `There is no field ${name} here. Did you mean "${meant}"?`),
  };
}

/** Names that exist in another part of the call, or in another call. */
function misplacedFieldHint(sent: string, known: readonly string[]): string | null {
  if (plain(sent) === 'disablepng')
    return '"disable_png" is a query parameter, not a field of the body: POST /api/v1/link?disable_png=true.';
  if (known.includes('links') && known.length === 1 && plain(sent) === 'destinationurl')
    return 'Put the link into a list: {"links": [{"destination_url": "…"}]}. A single one is made by POST /api/v1/link.';
  return null;
}

/** How many characters were added, omitted, replaced or swapped with their neighbour. */
function editDistance(one: string, two: string): number {
  if (Math.abs(one.length - two.length) > 2) return 3;
  let before: number[] = [];
  let last = Array.from({ length: two.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= two.length; j++) {
      const cost = one[i - 1] === two[j - 1] ? 0 : 1;
      let min = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      const isSwap = i > 1 && j > 1 && one[i - 1] === two[j - 2] && one[i - 2] === two[j - 1];
      if (isSwap) min = Math.min(min, (before[j - 2] ?? 0) + 1);
      row.push(min);
    }
    [before, last] = [last, row];
  }
  return last[two.length] ?? 3;
}
