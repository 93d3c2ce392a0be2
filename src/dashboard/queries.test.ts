import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { h, options, render } from 'preact';
import { forgetEverything, type Query, updateCached, useQuery } from './queries.ts';

// Effects run at once, rather than after the next frame.
const { requestAnimationFrame: inTheBrowser } = options;
beforeAll(() => {
  options.requestAnimationFrame = queueMicrotask;
});
afterAll(() => {
  if (inTheBrowser) options.requestAnimationFrame = inTheBrowser;
  else delete options.requestAnimationFrame;
});

/** What Preact needs of an element that stays empty. */
const place = () => ({ childNodes: [], firstChild: null }) as never;

let answers: PromiseWithResolvers<string>[] = [];
let used: Query<string> | undefined;

/** A page without elements that uses a query. */
function Page({ name }: { name: string }) {
  used = useQuery(name, () => {
    const answer = Promise.withResolvers<string>();
    answers.push(answer);
    return answer.promise;
  });
  return null;
}

const pages: never[] = [];
/** Opens a page, and waits until it is asking. */
async function open(name: string): Promise<Query<string>> {
  const page = place();
  pages.push(page);
  render(h(Page, { name }), page);
  await Bun.sleep(0);
  if (!used) throw new Error('The page was not rendered.');
  return used;
}
async function closePages(): Promise<void> {
  for (const page of pages.splice(0)) render(null, page);
  await Bun.sleep(0);
}
async function answer(which: number, text: string): Promise<void> {
  answers[which]?.resolve(text);
  await Bun.sleep(0);
}

afterEach(async () => {
  await closePages();
  forgetEverything();
  answers = [];
});

test('an answer that arrives after its user has signed out is not shown to the next one', async () => {
  const query = await open('stats');
  await answer(0, 'numbers of A');
  expect(query.data.value).toBe('numbers of A');
  void query.reload();
  forgetEverything();
  expect(query.isLoading.value).toBe(false);
  await closePages();
  await answer(1, 'numbers of A');
  expect((await open('stats')).data.value).toBeUndefined();
});

test('what a page asks while its user is signing out is not kept', async () => {
  const query = await open('stats');
  forgetEverything();
  void query.reload();
  await closePages();
  await answer(1, 'numbers of A');
  expect((await open('stats')).data.value).toBeUndefined();
});

test('an answer that was asked for before a change does not replace what the change has saved', async () => {
  const query = await open('link 1');
  await answer(0, 'old');
  const reloaded = query.reload();
  updateCached('link 1', () => 'saved');
  expect(query.isLoading.value).toBe(false);
  await answer(1, 'old');
  expect([query.data.value, await reloaded]).toEqual(['saved', false]);
  void query.reload();
  await answer(2, 'newest');
  expect(query.data.value).toBe('newest');
});

test('a request that a later one replaces has loaded once that one has', async () => {
  const query = await open('links');
  const replaced = query.reload();
  const latest = query.reload();
  await answer(1, 'older');
  expect(query.data.value).toBeUndefined();
  await answer(2, 'newer');
  expect([await replaced, await latest, query.data.value]).toEqual([true, true, 'newer']);
});

test('what has failed is loaded again once something else that had failed is', async () => {
  const domains = await open('domains');
  const links = await open('links');
  const gone = await open('gone');
  for (const asked of [0, 1, 2]) answers[asked]?.reject(new Error('no connection'));
  await Bun.sleep(0);
  expect([domains, links, gone].map(({ error }) => error.value === null)).toEqual([false, false, false]);
  void links.reload();
  await answer(3, 'the links');
  expect(answers).toHaveLength(6);
  answers[5]?.reject(new Error('no connection'));
  await answer(4, 'the domains');
  expect([domains.data.value, gone.error.value === null]).toEqual(['the domains', false]);
});

test('a page that is opened again right away asks anew, and a part that is added to it does not', async () => {
  await open('links');
  await answer(0, 'before');
  await open('links');
  expect(answers).toHaveLength(1);
  await closePages();
  const query = await open('links');
  expect([answers.length, query.data.value]).toEqual([2, 'before']);
  await answer(1, 'after');
  expect(query.data.value).toBe('after');
});
