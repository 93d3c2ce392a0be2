import { describe, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { accessibilityViolations, contrastViolations } from '../support/browser.ts';
import { appOfSuite } from '../support/browser-suite.ts';
import { eventually } from '../support/eventually.ts';
import { followLink } from './follow-link.ts';
import { describedBy, field, isHalfTyped, linkPagesOf, save, unsaved } from './link-page.ts';
import { dashboardsInOnePage } from './one-page.ts';

const app = await appOfSuite();
const open = linkPagesOf(app, dashboardsInOnePage(app));

const phrases = (page: Page): Promise<string[]> =>
  page.locator('.rule-list .rule-words > p:first-of-type').allTextContents();
const addRule = (page: Page) => page.getByRole('button', { name: 'Add rule' }).click();
const addCondition = async (page: Page, key: string) => {
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.locator('.menu-list').getByRole('button', { name: key, exact: true }).click();
};
const choose = async (page: Page, label: string, ...typed: readonly string[]) => {
  const input = page.getByRole('combobox', { name: label, exact: true });
  for (const text of typed) {
    await input.fill(text);
    await input.press('Enter');
  }
};

describe('the rules of a link', () => {
  test('are created with pickers, shown as sentences, ordered by keys and by dragging, and saved in that order', async () => {
    const { page, read } = await open({}, '/rules');
    await page.getByText('No rules yet').waitFor();
    await addRule(page);
    await addCondition(page, 'Country');
    await page.locator('.condition-value input:focus').waitFor();
    await choose(page, 'Country', 'germ', 'austria');
    await addCondition(page, 'Device');
    await page.keyboard.type('pho');
    await page.keyboard.press('Enter');
    await addCondition(page, 'Language');
    await page.getByRole('combobox', { name: 'Language: is or is not' }).selectOption('not');
    await choose(page, 'Language is not', 'en');
    await field(page, 'Destination of the rule').fill('example.de/app');
    expect(await phrases(page)).toEqual([
      "Rule 1: If the visitor is in Germany or Austria on a phone, and doesn't read English: go to",
    ]);

    await addRule(page);
    await page.getByRole('combobox', { name: 'Go to' }).selectOption('variants');
    await field(page, 'Destination a').fill('https://example.com/a');
    await field(page, 'Weight of a').fill('3');
    await field(page, 'Destination b').fill('https://example.com/b');
    await field(page, 'Weight of b').fill('1');
    await field(page, 'Name of the rule').fill('Which sells more');
    expect(await page.locator('.rule-share').allInnerTexts()).toEqual(['75 %', '25 %']);

    await addRule(page);
    await addCondition(page, 'Referrer');
    await page.keyboard.insertText('https://news.example/some/page?q');
    await addCondition(page, 'Hours of the week');
    await page.getByRole('checkbox', { name: 'Monday' }).uncheck();
    await field(page, 'Destination of the rule').fill('https://example.com/news');

    await page.getByText('Never reached: rule 2 is for everybody, and comes first.').waitFor();

    // Moves up with the button, which keeps the focus, and with keys; moves down by dragging.
    const upButtons = page.getByRole('button', { name: /^Move rule \d up$/ });
    await upButtons.last().click();
    await page.locator('[role=status]', { hasText: 'Rule 3 is now 2 of 3.' }).waitFor();
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Move rule 2 up');
    await page.getByText('Never reached: rule 2').waitFor({ state: 'detached' });
    await page.keyboard.press('Alt+ArrowUp');
    await page.locator('[role=status]', { hasText: 'Rule 2 is now 1 of 3.' }).waitFor();
    expect((await phrases(page))[0]).toContain('comes from news.example, and comes on Tuesday to Friday');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('.rule-handle').first().hover();
    const lastBox = await page.locator('.rule-list > li').last().boundingBox();
    await page.mouse.down();
    await page.mouse.move(lastBox?.x ?? 0, (lastBox?.y ?? 0) + (lastBox?.height ?? 0) - 4);
    await page.mouse.up();
    expect((await phrases(page)).map((phrase) => phrase.slice(0, 24))).toEqual([
      'Rule 1: If the visitor i',
      'Rule 2: Everybody else: ',
      'Rule 3: If the visitor c',
    ]);

    await save(page);
    expect((await read()).rules).toMatchObject([
      {
        when: { country: ['DE', 'AT'], device: ['mobile'], not: { language: ['en'] } },
        destination_url: 'https://example.de/app',
      },
      {
        name: 'Which sells more',
        when: {},
        sticky: true,
        variants: [
          { id: 'a', weight: 3 },
          { id: 'b', weight: 1 },
        ],
      },
      {
        when: {
          referrer: ['news.example'],
          hours: { timezone: 'Europe/Berlin', days: ['tu', 'we', 'th', 'fr'], from: '09:00', to: '17:00' },
        },
      },
    ]);
    const trial = page.getByRole('region', { name: 'Try as…' });
    await trial.getByLabel('From', { exact: true }).selectOption('AT');
    await trial.getByLabel('With', { exact: true }).selectOption({ label: 'Android phone, Chrome' });
    await trial.getByLabel('Reading').selectOption('de-AT');
    await trial.getByRole('button', { name: 'Show the result' }).click();
    await trial.getByText('By rule 1, the visitor goes to').waitFor();
    expect(await trial.getByRole('status').innerText()).toContain('example.de/app');
    await trial.getByLabel('Reading').selectOption('en');
    await trial.getByRole('button', { name: 'Show the result' }).click();
    await trial.getByText('By rule 2, “Which sells more” (its destination').waitFor();
    const steps = trial.getByRole('list', { name: 'Steps' });
    await steps.getByText("doesn't read English (here: English)").waitFor();
    expect(await steps.getByText("Rule 1 doesn't fit.").count()).toBe(1);
    await page.getByRole('button', { name: 'Edit rule 2' }).click();
    await field(page, 'Weight of a').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await contrastViolations(page)).toEqual([]);

    await page.getByRole('button', { name: /^Remove rule 2/ }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await unsaved(page).count()).toBe(0);
    await followLink(page, '/app');
    await page.getByRole('link', { name: '3 rules' }).click();
    await page.getByText('Where visitors go').waitFor();
  });

  test('keep the order of parameters while they are typed; say that one is there already, and are not saved with a part of its name', async () => {
    const { page, read } = await open({}, '/rules');
    await addRule(page);
    await addCondition(page, 'Parameters');
    await page.keyboard.insertText('utm_source');
    const another = page.getByRole('button', { name: 'And another parameter' });
    await another.click();
    const names = page.getByLabel('Parameter', { exact: true });
    const second = names.nth(1);
    const shown = () => Promise.all([names.nth(0).inputValue(), second.inputValue()]);
    // An object would have a name that is a number first.
    await second.pressSequentially('2fa');
    expect(await shown()).toEqual(['utm_source', '2fa']);
    await second.fill('2');
    expect(await shown()).toEqual(['utm_source', '2']);
    await another.click();
    expect(await names.nth(2).inputValue()).toBe('');
    await page.getByRole('button', { name: 'Remove parameter', exact: true }).click();
    expect(await shown()).toEqual(['utm_source', '2']);

    await second.fill('');
    await second.pressSequentially('utm_source');
    await field(page, 'Destination of the rule').fill('https://example.com/campaign');
    expect(await second.inputValue()).toBe('utm_source');
    const sentence = 'There is a parameter utm_source already: add the values to it.';
    expect(await describedBy(second)).toContain(sentence);
    await page.keyboard.press('Control+s');
    await page.locator('input[aria-invalid="true"]:focus').waitFor();
    expect(await describedBy(second)).toContain(sentence);
    expect((await read()).rules).toEqual([]);
    await second.fill('utm_medium');
    expect(await second.getAttribute('aria-invalid')).toBeNull();
    await save(page);
    expect(await read()).toMatchObject({
      rules: [{ when: { query: { utm_source: [], utm_medium: [] } } }],
    });
    await second.fill('utm_source');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await unsaved(page).waitFor({ state: 'detached' });
    expect(await second.inputValue()).toBe('utm_medium');
    expect(await second.getAttribute('aria-invalid')).toBeNull();
    await second.fill('utm_source');
    await page.getByLabel('Parameter', { exact: true }).first().fill('gclid');
    expect(await second.inputValue()).toBe('utm_source');
    expect(await second.getAttribute('aria-invalid')).toBeNull();
    await save(page);
    expect(await read()).toMatchObject({ rules: [{ when: { query: { gclid: [], utm_source: [] } } }] });
    await choose(page, 'Values of gclid', 'mail');
    await second.fill('2');
    await save(page);
    expect(await shown()).toEqual(['gclid', '2']);
    expect(await read()).toMatchObject({ rules: [{ when: { query: { gclid: ['mail'], 2: [] } } }] });
  });

  test('show API errors beside the field, until it is changed', async () => {
    const rules = [
      { when: { language: ['de'] }, destination_url: 'https://example.com/one' },
      { when: { country: ['DE'] }, destination_url: 'https://example.com/two' },
    ];
    const { page, read } = await open({ rules }, '/rules');
    await page.getByRole('button', { name: 'Edit rule 1' }).click();
    await choose(page, 'Language', 'tag!');
    await addCondition(page, 'Country');
    await addCondition(page, 'From');
    await page.getByRole('button', { name: 'Edit rule 2' }).click();
    await field(page, 'Destination of the rule').fill('javascript:alert(1)');
    await page.keyboard.press('Control+s');
    const language = page.getByRole('combobox', { name: 'Language', exact: true });
    await page.locator('[aria-invalid="true"]').first().waitFor();
    expect(await describedBy(language)).toContain('Give languages as BCP 47 has them');
    expect(await page.locator('.chip.bad').allInnerTexts()).toEqual(['tag!']);
    const country = page.getByRole('combobox', { name: 'Country', exact: true });
    expect(await describedBy(country)).toContain('Add at least one, or remove the condition.');
    expect(await describedBy(field(page, 'From').and(page.locator('.condition input')))).toContain(
      'Choose a day and a time, or remove the condition.',
    );
    await page.getByRole('button', { name: 'Remove condition Country' }).click();
    await page.getByRole('button', { name: 'Remove condition From' }).click();
    await page.getByRole('button', { name: 'Remove tag!' }).click();
    expect(await language.getAttribute('aria-invalid')).toBeNull();
    await page.keyboard.press('Control+s');
    const destination = field(page, 'Destination of the rule');
    await destination.and(page.locator('[aria-invalid="true"]')).waitFor();
    await destination.fill('https://example.com/three');
    await save(page);
    expect((await read()).rules).toMatchObject([
      { when: { language: ['de'] } },
      { destination_url: 'https://example.com/three' },
    ]);
    await page.getByRole('combobox', { name: 'Go to' }).selectOption('variants');
    await field(page, 'Destination b').fill('https://example.com/four');
    const weight = field(page, 'Weight of b');
    for (const [typed, sentence] of [
      ['1001', 'This must be at most 1,000.'],
      ['1.5', 'This must be a whole number, without a fraction.'],
    ] as const) {
      await weight.fill(typed);
      await page.keyboard.press('Control+s');
      await weight.and(page.locator('[aria-invalid="true"]')).waitFor();
      expect(await describedBy(weight)).toContain(sentence);
    }
  });

  test('find countries as they are typed without accents and typographic apostrophes', async () => {
    const { page } = await open({}, '/rules');
    await addRule(page);
    await addCondition(page, 'Country');
    await choose(page, 'Country', "cote d'i", 'turkiye', 'Réunion');
    await page.getByText('Côte d’Ivoire, Türkiye or Réunion').waitFor();
  });

  test('are refused with a half-typed date or time, which is discarded with the other changes', async () => {
    const when = {
      from: '2031-01-01T10:00:00.000Z',
      hours: { timezone: 'Europe/Berlin', from: '09:00' },
    };
    const rules = [{ when, destination_url: 'https://example.com/one' }];
    const { page, read } = await open({ rules }, '/rules');
    await page.getByRole('button', { name: 'Edit rule 1' }).click();
    const date = page.locator('.condition input[type="datetime-local"]');
    const [from, until] = ['From', 'Until'].map((label) =>
      page.locator('.hours-times').getByLabel(label, { exact: true }),
    ) as [Locator, Locator];
    for (const input of [date, from]) {
      const saved = await input.inputValue();
      await input.focus();
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Control+s');
      await input.and(page.locator('[aria-invalid="true"]')).waitFor();
      expect((await read()).rules).toMatchObject(rules);
      await page.getByRole('button', { name: 'Discard' }).click();
      await unsaved(page).waitFor({ state: 'detached' });
      await eventually(async () => (await input.inputValue()) === saved, 'the saved value');
    }
    await until.focus();
    await page.keyboard.type('05');
    await page.keyboard.press('Control+s');
    await until.and(page.locator('[aria-invalid="true"]')).waitFor();
    expect(await describedBy(until)).toBe('This time is incomplete. Give hours and minutes, or clear it.');
    await page.getByRole('button', { name: 'Discard' }).click();
    await unsaved(page).waitFor({ state: 'detached' });
    await eventually(async () => !(await isHalfTyped(until)), 'the empty field');
  });
});
