import { afterAll, expect, spyOn, test } from 'bun:test';
import type { Click, ClickList } from '../api-types.ts';
import { Feed } from './feed.ts';

let pageFor: (query: URLSearchParams) => Promise<Partial<ClickList>>;
const fetched = spyOn(globalThis, 'fetch').mockImplementation((async (address: string) =>
  Response.json({
    total_clicks: 900,
    ...(await pageFor(new URL(address, 'http://linnet.example').searchParams)),
  })) as never);
afterAll(() => fetched.mockRestore());

const clicks = (...ids: number[]) => ids.map((id) => ({ id }) as Click);
const newFeed = () => new Feed({ kind: 'all' }, 'click', () => true);
async function feedWith(page: Partial<ClickList>): Promise<Feed> {
  pageFor = async () => page;
  const feed = newFeed();
  await feed.loadNewest();
  return feed;
}
const shown = (feed: Feed) => feed.hits.value?.map(({ id }) => id);

test('a first page without any hit that is not the last one is read on', async () => {
  const pages: Record<string, Partial<ClickList>> = {
    '': { clicks: [], next: 'second' },
    second: { clicks: [], next: 'third' },
    third: { clicks: clicks(7, 3), next: 'fourth' },
  };
  pageFor = async (query) => pages[query.get('cursor') ?? ''] ?? {};
  const feed = newFeed();
  await feed.loadNewest();
  expect([shown(feed), feed.hasOlder.value, feed.isLoading.value]).toEqual([[7, 3], true, false]);
});

test('a short page that others follow is not put on top of hits that it does not reach', async () => {
  const feed = await feedWith({ clicks: clicks(3, 2, 1) });
  pageFor = async () => ({ clicks: clicks(9, 8), next: 'more' });
  await feed.loadNewest();
  expect([shown(feed), feed.hasOlder.value]).toEqual([[9, 8], true]);
});

test('older hits can be asked for while the newest are loaded once more', async () => {
  const feed = await feedWith({ clicks: clicks(5, 4), next: 'older' });
  const late = Promise.withResolvers<Partial<ClickList>>();
  pageFor = () => late.promise;
  const newest = feed.loadNewest();
  expect(feed.isLoading.value).toBe(false);
  pageFor = async () => ({ clicks: clicks(3, 2) });
  await feed.loadOlder();
  late.resolve({ clicks: clicks(5, 4), next: 'older' });
  await newest;
  expect([shown(feed), feed.hasOlder.value]).toEqual([[5, 4, 3, 2], false]);
});

test('older hits that arrive after the list was replaced are not appended to it', async () => {
  const feed = await feedWith({ clicks: clicks(5, 4), next: 'older' });
  const late = Promise.withResolvers<Partial<ClickList>>();
  pageFor = () => late.promise;
  const older = feed.loadOlder();
  pageFor = async () => ({ clicks: clicks(90, 89), next: 'more' });
  await feed.loadNewest();
  late.resolve({ clicks: clicks(3, 2) });
  await older;
  expect([shown(feed), feed.hasOlder.value]).toEqual([[90, 89], true]);
});

/** Runs `use` with a fake stream, to which `connect` and `arrive` belong. */
async function withStream(
  use: (connect: () => void, arrive: (id: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const opened: EventTarget[] = [];
  const browser = globalThis as { document?: unknown; EventSource?: unknown };
  const { document, EventSource } = browser;
  class Stream extends EventTarget {
    constructor() {
      super();
      opened.push(this);
    }
    close() {}
  }
  const visible = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  Object.assign(browser, { document: visible, EventSource: Stream });
  const send = (event: Event) => opened.at(-1)?.dispatchEvent(event);
  try {
    await use(
      () => void send(new Event('open')),
      async (id) => {
        send(new MessageEvent('click', { data: JSON.stringify({ id }) }));
        // Hits that come in soon after each other are shown together.
        await Bun.sleep(100);
      },
    );
  } finally {
    Object.assign(browser, { document, EventSource });
  }
}

test('a list that was stopped while a hit waited shows new ones once it is started again', async () => {
  const pages: Record<string, Partial<ClickList>> = {
    '': { clicks: [], next: 'second' },
    second: { clicks: [], next: 'third' },
    third: { clicks: clicks(1) },
  };
  pageFor = async (query) => pages[query.get('cursor') ?? ''] ?? {};
  await withStream(async (_, arrive) => {
    const feed = newFeed();
    feed.start();
    const waiting = arrive(2);
    feed.stop();
    feed.start();
    await waiting;
    expect(shown(feed)).toEqual([1]);
    await arrive(3);
    expect(shown(feed)).toEqual([3, 2, 1]);
    feed.stop();
  });
});

test('a hit that was shown before the first page stays when that page is older', async () => {
  const late = Promise.withResolvers<Partial<ClickList>>();
  pageFor = () => late.promise;
  await withStream(async (connect, arrive) => {
    const feed = newFeed();
    feed.start();
    connect();
    await arrive(4);
    expect(shown(feed)).toEqual([4]);
    late.resolve({ clicks: clicks(3, 2), next: 'older' });
    await feed.loadNewest();
    expect([shown(feed), feed.hasOlder.value, feed.total.value]).toEqual([[4, 3, 2], true, 901]);
    feed.stop();
  });
});

test('a hit that arrives before a page, after an interruption, does not hide the gap before that page', async () => {
  pageFor = async () => ({ clicks: clicks(2, 1) });
  await withStream(async (connect, arrive) => {
    const feed = newFeed();
    feed.start();
    await feed.loadNewest();
    const late = Promise.withResolvers<Partial<ClickList>>();
    pageFor = () => late.promise;
    connect();
    await arrive(9);
    late.resolve({ clicks: clicks(9, 8), next: 'older' });
    await Bun.sleep(0);
    expect([shown(feed), feed.hasOlder.value]).toEqual([[9, 8], true]);
    feed.stop();
  });
});
