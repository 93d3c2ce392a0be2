import { dayLength, hourLength } from '../src/rules/durations.ts';
import { addNotFoundVisits } from '../src/storage/not-found-visits.ts';
import type { TestAccount, TestApp } from '../test/support/app.ts';
import { type SeedHit, seedHits } from '../test/support/hits.ts';
import { seededRandom } from '../test/support/seeded-random.ts';

export interface SeededData {
  readonly linkId: number;
  readonly domainId: number;
  readonly invitationPath: string;
}

interface NewLink {
  readonly suffix: string;
  readonly destination_url: string;
  readonly name: string | null;
  readonly tags: readonly string[];
  /** Its number of clicks relative to the first link. */
  readonly share: number;
}

const plainLinks: readonly NewLink[] = [
  {
    suffix: 'spring',
    destination_url: 'https://shop.example.com/collections/spring-2027?utm_source=poster',
    name: 'Poster, spring collection',
    tags: ['Campaign', 'Print'],
    share: 1,
  },
  {
    suffix: 'menu',
    destination_url: 'https://restaurant.example.org/menu.pdf',
    name: 'Table cards',
    tags: ['Print'],
    share: 0.7,
  },
  {
    suffix: 'talk',
    destination_url: 'https://slides.example.net/2026/11/small-quick-and-plain',
    name: 'Conference talk',
    tags: ['Events'],
    share: 0.5,
  },
  {
    suffix: 'get',
    destination_url: 'https://example.com/download',
    name: 'App, by device',
    tags: ['Campaign'],
    share: 0.45,
  },
  {
    suffix: 'newsletter/november',
    destination_url: 'https://example.com/blog/november-letter',
    name: 'Newsletter 11/2026',
    tags: ['Mail'],
    share: 0.3,
  },
  { suffix: 'jobs', destination_url: 'https://careers.example.com/', name: null, tags: [], share: 0.15 },
  {
    suffix: 'feedback',
    destination_url: 'https://forms.example.org/how-was-it?event=open-day',
    name: 'Open day, how was it',
    tags: ['Events', 'Mail'],
    share: 0.12,
  },
  {
    suffix: 'map',
    destination_url: 'https://maps.example.net/place/12-market-square',
    name: 'How to find us',
    tags: ['Print'],
    share: 0.08,
  },
];

/** Unusual input, which must look right too. */
const oddLinks: readonly NewLink[] = [
  {
    suffix: '🌷🌷',
    destination_url: 'https://flowers.example.com/tulips',
    name: 'Tulips',
    tags: ['Campaign'],
    share: 0.1,
  },
  {
    suffix: 'مرحبا',
    destination_url: 'https://example.com/ar/أهلا',
    name: 'صفحة الترحيب',
    tags: ['Events'],
    share: 0.05,
  },
  {
    suffix:
      'a-very-long-suffix-that-somebody-typed-in-full-to-see-what-would-happen-to-the-list-when-it-is-shown',
    destination_url: `https://example.com/${'long/'.repeat(60)}`,
    name: 'A name as long as a sentence can be. '.repeat(8).trim(),
    tags: ['Print', 'Mail', 'Events', 'Campaign'],
    share: 0.01,
  },
];

/** One of the names, each as often as its weight says. */
function pickWeighted<Name extends string>(
  weights: Readonly<Record<Name, number>>,
  random: () => number,
): Name {
  const choices = Object.entries<number>(weights) as [Name, number][];
  let remaining = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of choices) {
    remaining -= weight;
    if (remaining <= 0) return name;
  }
  return choices[0]?.[0] as Name;
}

/** Fills an organization with realistic data, and with unusual links that reveal faults of the layout. */
export async function seedOrganization(
  app: TestApp,
  owner: TestAccount,
  withOddLinks = true,
): Promise<SeededData> {
  const links = withOddLinks ? [...plainLinks, ...oddLinks] : plainLinks;
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await app.call(method, path, {
      key: owner.key,
      ...(body === undefined ? {} : { body }),
    });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`);
    return response.json;
  };
  await call('PATCH', '/api/v1/organization', { name: 'Ada & Company' });
  await call('PATCH', '/api/v1/user', { name: 'Ada Lovelace' });
  const tagIds = new Map<string, number>();
  for (const name of ['Campaign', 'Print', 'Events', 'Mail', 'Unused']) {
    tagIds.set(name, (await call('POST', '/api/v1/tag', { name })).id);
  }
  const created: { id: number; share: number }[] = [];
  for (const { tags, share, ...link } of links.toReversed()) {
    const { id } = await call('POST', '/api/v1/link', { ...link, tags: tags.map((tag) => tagIds.get(tag)) });
    created.unshift({ id, share });
  }
  const [first] = created;
  if (!first) throw new Error('no links');
  await call('PATCH', `/api/v1/link/${first.id}`, {
    og_title: 'Spring has come early',
    og_description: 'Forty new pieces, light enough for the first warm days.',
    expiration_date: new Date(app.clock.now + 40 * dayLength).toISOString(),
    webhook_url: 'http://127.0.0.1:9/hooks/clicks',
    qr_code_foreground_hex: '#7A1B2E',
    aliases: ['fruehling'],
    rules: [
      {
        name: 'The app, for phones',
        when: { country: ['AT', 'CH', 'DE'], device: ['mobile', 'tablet'], not: { language: ['en'] } },
        destination_url: 'https://shop.example.com/de/app',
      },
      {
        name: 'Which page sells more',
        when: { hours: { timezone: 'Europe/Berlin', days: ['sa', 'su'], from: '09:00', to: '18:00' } },
        variants: [
          { id: 'plain', destination_url: 'https://shop.example.com/weekend', weight: 60 },
          { id: 'picture', destination_url: 'https://shop.example.com/weekend-with-a-picture', weight: 40 },
        ],
      },
      { when: { language: ['fr'] }, destination_url: 'https://shop.example.com/fr' },
    ],
  });
  await call('PATCH', `/api/v1/link/${created[2]?.id}`, { password: 'sesame', captcha: true });
  await seedHits(app.app.context.database, hitsOf(app, owner, created));
  await deleteLinks(app, call);
  await signInElsewhere(app, owner);
  const domain = await call('POST', '/api/v1/domain', { domain: 'go.bücher.de' });
  await addFailingDomains(app, call);
  await addMistypedVisits(app);
  const invitation = await call('POST', '/api/v1/invitation', {
    email: 'charles@example.com',
    role: 'editor',
  });
  return { linkId: first.id, domainId: domain.id, invitationPath: new URL(invitation.url).pathname };
}

type Call = (method: string, path: string, body?: unknown) => Promise<{ id: number; domain: string }>;

/** Verified domains that get no certificates, as with HTTPS=auto. */
async function addFailingDomains(app: TestApp, call: Call): Promise<void> {
  const { database, domains } = app.app.context;
  (domains as { getsCertificates: boolean }).getsCertificates = true;
  const failing = [
    ['links.shop.example.com', 'caa', null, 'CAA record for links.shop.example.com prevents issuance'],
    [
      'a-rather-long-sub-domain.for-the-summer-campaign.restaurant.example.org',
      'connection',
      app.clock.now + 20 * dayLength,
      '192.0.2.7: Fetching http://a-rather-long-sub-domain.for-the-summer-campaign.restaurant.example.org/.well-known/acme-challenge/Xx4s: Timeout during connect (likely firewall problem)',
    ],
    ['well.example.net', null, app.clock.now + 60 * dayLength, null],
  ] as const;
  for (const [host, problem, not_after, problem_detail] of failing) {
    await call('POST', '/api/v1/domain', { domain: host });
    const certificate = { host, problem, problem_detail, not_after, failures: 3 };
    await database.write(async (queries) => {
      await queries
        .updateTable('domains')
        .set({ verified_at: app.clock.now, next_check_at: app.clock.now + dayLength })
        .where('host', '=', host)
        .execute();
      await queries
        .insertInto('certificates')
        .values({ ...certificate, next_at: app.clock.now + hourLength })
        .execute();
    });
  }
}

/** Mistyped addresses on an existing domain. */
async function addMistypedVisits(app: TestApp): Promise<void> {
  const { database } = app.app.context;
  const { id, organization_id } = await database.read
    .selectFrom('domains')
    .select(['id', 'organization_id'])
    .where('host', '=', 'links.shop.example.com')
    .executeTakeFirstOrThrow();
  await database.write((queries) =>
    queries
      .updateTable('links')
      .set({ suffix: 'summer-sale', domain_id: id })
      .where('organization_id', '=', organization_id)
      .where('suffix', '=', 'talk')
      .execute(),
  );
  const today = Math.floor(app.clock.now / dayLength);
  const counts = [
    'sumer-sale',
    'menu',
    'newsletter/december',
    'Sommerfest-2026-in-der-alten-Gärtnerei',
    'catalog',
  ];
  for (const [age, suffix] of counts.entries())
    await database.write((queries) =>
      addNotFoundVisits(queries, id, today - 2 * age, [{ suffix, visits: 1_204 >> (2 * age) }]),
    );
}

const agents = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
  '',
];

async function signInElsewhere(app: TestApp, { email, password }: TestAccount): Promise<void> {
  const { now } = app.clock;
  for (const [index, agent] of agents.entries()) {
    app.clock.now = now - (index * 9 + 0.1) * dayLength;
    await app.call('POST', '/api/v1/session', {
      body: { email, password },
      headers: { 'user-agent': agent },
    });
  }
  app.clock.now = now;
}

type LinkToDelete = Pick<NewLink, 'suffix' | 'destination_url' | 'name'>;

/** Days since each deletion, oldest first. */
const deletions: readonly (readonly [number, LinkToDelete])[] = [
  [
    29.2,
    {
      suffix: 'winter-sale',
      destination_url: 'https://shop.example.com/winter-2026',
      name: 'Poster, winter sale',
    },
  ],
  [12, { suffix: 'old-menu', destination_url: 'https://restaurant.example.org/menu-2025.pdf', name: null }],
  [3, { suffix: 'صيف', destination_url: 'https://example.com/ar/صيف', name: 'عروض الصيف' }],
  [
    1,
    {
      suffix: `not-${'so-'.repeat(30)}short`,
      destination_url: `https://example.com/${'long/'.repeat(60)}`,
      name: 'A name as long as a sentence can be. '.repeat(8).trim(),
    },
  ],
  [0.05, { suffix: 'typo', destination_url: 'https://exmaple.com/', name: 'Newsletter 11/2026' }],
];

async function deleteLinks(app: TestApp, call: Call): Promise<void> {
  const { now } = app.clock;
  for (const [days, link] of deletions) {
    const { id } = await call('POST', '/api/v1/link', link);
    app.clock.now = now - days * dayLength;
    await call('DELETE', `/api/v1/link/${id}`);
    app.clock.now = now;
  }
}

function hitsOf(
  app: TestApp,
  owner: TestAccount,
  created: readonly { id: number; share: number }[],
): SeedHit[] {
  // The same numbers in every run, so that screenshots can be compared.
  const draw = seededRandom(7);
  const random = () => draw(2 ** 32) / 2 ** 32;
  const hits: SeedHit[] = [];
  for (let daysAgo = 59; daysAgo >= 0; daysAgo -= 1) {
    const weekday = new Date(app.clock.now - daysAgo * dayLength).getUTCDay();
    const factor =
      (weekday === 0 || weekday === 6 ? 0.45 : 1) * (1 + (60 - daysAgo) / 60) * (0.8 + 0.4 * random());
    for (const { id, share } of created) {
      const count = Math.round(38 * share * factor);
      for (let index = 0; index < count; index += 1)
        hits.push(hitOf(id, owner, app.clock.now - daysAgo * dayLength, random));
    }
  }
  return hits.sort((one, other) => Number(one.at) - Number(other.at));
}

function hitOf(link: number, owner: TestAccount, around: number, random: () => number): SeedHit {
  const at = around - Math.floor(random() * 12 * hourLength);
  const base = { link, organization: owner.organizationId, at };
  const kind = random();
  if (kind < 0.05) return { ...base, class: 'bot', reason: 'known_crawler' };
  if (kind < 0.11) return { ...base, class: 'preview', reason: 'preview_agent' };
  if (kind < 0.12) return { ...base, class: 'prefetch', reason: 'purpose_header' };
  const device = pickWeighted({ mobile: 58, desktop: 34, tablet: 8 }, random);
  const os =
    device === 'desktop'
      ? pickWeighted({ Windows: 5, macOS: 4, Linux: 1 }, random)
      : pickWeighted({ iOS: 5, Android: 5 }, random);
  return {
    ...base,
    device,
    os,
    browser: pickWeighted({ Chrome: 52, Safari: 30, Firefox: 9, Edge: 9 }, random),
    country: pickWeighted(
      { DE: 38, AT: 11, CH: 9, US: 12, GB: 8, FR: 7, NL: 5, JP: 3, BR: 3, IN: 4 },
      random,
    ),
    language: pickWeighted({ de: 55, en: 30, fr: 9, ja: 3, pt: 3 }, random),
    referrer: pickWeighted(
      { '': 45, 'instagram.com': 18, 'google.com': 14, 'news.ycombinator.com': 9, 'mail.example.com': 8 },
      random,
    ),
    source: pickWeighted({ link: 64, qr: 36 }, random),
    utm_source: pickWeighted({ '': 50, poster: 30, newsletter: 20 }, random),
    // Some visitors return on the same day.
    visitor: Math.floor(random() * 700),
  };
}
