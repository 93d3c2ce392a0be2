import type { Problem } from '../rules/errors.ts';
import { shortened } from './shortened.ts';

/**
 * What other link shorteners, and habit, call the things that fields and parameters here are for. Compared without case,
 * dashes and underscores; the first of the names that the call has is suggested.
 */
const otherNames: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    // links
    addtags: ['tags'],
    alias: ['suffix'],
    androidurl: ['android_link_destination'],
    android: ['android_link_destination'],
    backhalf: ['suffix'],
    backgroundcolor: ['qr_code_background_hex'],
    bgcolor: ['qr_code_background_hex'],
    blockbots: ['bot_protection'],
    callbackurl: ['webhook_url'],
    code: ['suffix', 'token'],
    comments: ['name'],
    customalias: ['suffix'],
    customslug: ['suffix'],
    customurl: ['suffix'],
    deeplinkandroid: ['android_link_destination'],
    deeplinkios: ['ios_link_destination'],
    description: ['og_description', 'name'],
    dest: ['destination_url'],
    destination: ['destination_url'],
    domainid: ['domain'],
    domainname: ['domain'],
    ending: ['suffix'],
    expiration: ['expiration_date'],
    expirationtime: ['expiration_date'],
    expire: ['expiration_date'],
    expireat: ['expiration_date'],
    expirein: ['expiration_date'],
    expires: ['expiration_date'],
    expiresat: ['expiration_date'],
    expiry: ['expiration_date'],
    expirydate: ['expiration_date'],
    fgcolor: ['qr_code_foreground_hex'],
    foregroundcolor: ['qr_code_foreground_hex'],
    fullurl: ['destination_url'],
    hash: ['suffix'],
    host: ['domain'],
    hostname: ['domain'],
    href: ['destination_url'],
    image: ['og_image'],
    imageurl: ['og_image'],
    ios: ['ios_link_destination'],
    iosurl: ['ios_link_destination'],
    ipad: ['ios_link_destination'],
    iphone: ['ios_link_destination'],
    iphoneurl: ['ios_link_destination'],
    key: ['suffix'],
    keyword: ['suffix', 'q'],
    link: ['destination_url'],
    location: ['destination_url'],
    longurl: ['destination_url'],
    metadescription: ['og_description'],
    metaimage: ['og_image'],
    metatitle: ['og_title'],
    originalurl: ['destination_url'],
    path: ['suffix'],
    preview: ['og_image'],
    qrcolor: ['qr_code_foreground_hex'],
    redirect: ['destination_url'],
    redirecturl: ['destination_url'],
    root: ['root_url'],
    removetags: ['tags'],
    secret: ['webhook_auth_key'],
    shortcode: ['suffix'],
    shorturl: ['suffix'],
    shortcodelength: ['suffix'],
    slashtag: ['suffix'],
    slug: ['suffix'],
    tag: ['tags', 'name'],
    tagid: ['tag', 'tags'],
    tagids: ['tags', 'tag'],
    tagnames: ['tags', 'tag'],
    tags: ['tag', 'add_tags'],
    labels: ['tags'],
    target: ['destination_url'],
    targeturl: ['destination_url'],
    title: ['name', 'og_title'],
    to: ['destination_url', 'to'],
    uri: ['destination_url'],
    url: ['destination_url', 'webhook_url', 'target_url'],
    validuntil: ['expiration_date'],
    webhook: ['webhook_url'],
    webhooksecret: ['webhook_auth_key'],
    // accounts, keys, tags, domains, bulk calls
    displayname: ['name'],
    fullname: ['name'],
    data: ['links'],
    id: ['ids'],
    items: ['links'],
    label: ['name'],
    linkids: ['ids'],
    login: ['email'],
    mail: ['email'],
    newpassword: ['new_password', 'password'],
    oldpassword: ['current_password'],
    organisation: ['organization_name'],
    organisationname: ['organization_name'],
    organization: ['organization_name'],
    name: ['domain'],
    notfound: ['not_found_url'],
    pass: ['password'],
    password: ['current_password', 'new_password'],
    passwd: ['password'],
    pwd: ['password'],
    urls: ['links'],
    user: ['email'],
    username: ['email', 'name'],
    // lists and statistics
    after: ['from', 'offset'],
    count: ['limit'],
    cursor: ['before', 'offset'],
    next: ['cursor'],
    datefrom: ['from'],
    dateto: ['to'],
    dimension: ['group_by'],
    direction: ['sort'],
    end: ['to'],
    enddate: ['to'],
    filter: ['q'],
    granularity: ['interval'],
    group: ['group_by'],
    groupby: ['group_by'],
    max: ['limit'],
    maxresults: ['limit'],
    order: ['sort'],
    orderby: ['sort'],
    page: ['offset', 'before'],
    pagesize: ['limit'],
    nextpagetoken: ['cursor'],
    pagetoken: ['cursor'],
    perpage: ['limit'],
    period: ['interval'],
    query: ['q'],
    results: ['limit'],
    s: ['q'],
    search: ['q'],
    searchterm: ['q'],
    since: ['from'],
    size: ['limit'],
    skip: ['offset'],
    sortby: ['sort'],
    start: ['from', 'offset'],
    startat: ['from'],
    startdate: ['from'],
    startingafter: ['cursor', 'before'],
    take: ['limit'],
    text: ['q'],
    tz: ['timezone'],
    unit: ['interval'],
    until: ['to'],
  }),
);

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The name that was probably meant, of those that there are; null where nothing comes near. */
export function meantName(sent: string, known: readonly string[]): string | null {
  const wanted = plain(sent);
  if (wanted === '') return null;
  const same = known.find((name) => plain(name) === wanted);
  if (same !== undefined) return same;
  const other = otherNames.get(wanted)?.find((name) => known.includes(name));
  if (other !== undefined) return other;
  const near = known
    .map((name) => ({ name, slips: slipsBetween(wanted, plain(name)) }))
    .sort((one, two) => one.slips - two.slips)[0];
  return near !== undefined && near.slips <= Math.min(2, Math.floor(wanted.length / 3)) ? near.name : null;
}

export function unknownField(sent: string, known: readonly string[]): Problem {
  const name = JSON.stringify(shortened(sent));
  const meant = meantName(sent, known);
  return {
    code: 'FIELD_UNKNOWN',
    field: sent,
    sentence:
      elsewhere(sent, known) ??
      (meant === null
        ? `There is no field ${name} here. Check its spelling, or leave it out.`
        : `There is no field ${name} here. Did you mean "${meant}"?`),
  };
}

/** Names that are good, in another place. */
function elsewhere(sent: string, known: readonly string[]): string | null {
  if (plain(sent) === 'disablepng')
    return '"disable_png" is a query parameter, not a field of the body: POST /api/v1/link?disable_png=true.';
  if (known.includes('links') && known.length === 1 && plain(sent) === 'destinationurl')
    return 'Put the link into a list: {"links": [{"destination_url": "…"}]}. A single one is made by POST /api/v1/link.';
  return null;
}

/** How many characters were added, left out, mistaken or swapped with their neighbour. */
function slipsBetween(one: string, two: string): number {
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
