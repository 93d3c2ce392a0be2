import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { importLinks } from '../src/cli/import-links.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';

describe.each(storeKinds)('importing links on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  const get = async (path: string, key = owner.key) => app.call('GET', `/api/v1${path}`, { key });
  const resultOf = async (csv: string | Uint8Array, email = owner.email, name = 'import.csv') => {
    const file = join(app.dataDir, name);
    await Bun.write(file, csv);
    const result = await importLinks.run(app.app.context, { email, file });
    return typeof result === 'string' ? { output: result, exitCode: 0 } : result;
  };
  const run = async (csv: string | Uint8Array, email?: string, name?: string) =>
    (await resultOf(csv, email, name)).output;

  test('each line becomes a link, with tags by name, and failures are reported with their line', async () => {
    await app.call('POST', '/api/v1/tag', { key: owner.key, body: { name: 'Known' } });
    const output = await run(
      [
        'destination_url,suffix,name,tags,captcha,expiration_date,password,clicks,redirect_status,aliases',
        'https://example.com/1,import-1,"One, with a comma","known, fresh",true,2031-01-01,sesame,17,308,imported imported/too',
        'example.com/2,import-2,,,,,,,,',
        'javascript:alert(1),import-3,,,,,,',
        'example.com/4,import-1,,,,,,',
        '',
      ].join('\r\n'),
    );
    expect(output).toStartWith('Made 2 links. Not made: 2.\n  Line 4: ');
    expect(output).toContain('\n  Line 5: suffix: "import-1" is taken');
    const { json } = await get('/link?sort=suffix');
    expect(json.links).toHaveLength(2);
    expect(json.links[0]).toMatchObject({
      suffix: 'import-1',
      name: 'One, with a comma',
      captcha: true,
      redirect_status: 308,
      expiration_date: '2031-01-01T00:00:00.000Z',
      has_password: true,
      clicks: 0,
    });
    expect(json.links[0].tags.map((tag: { name: string }) => tag.name)).toEqual(['Known', 'fresh']);
    expect(json.links[0].aliases).toEqual([`${app.url}/imported`, `${app.url}/imported/too`]);
    expect((await app.visit('/import-2')).headers.get('location')).toBe('https://example.com/2');
  });

  test('an export is imported into another account unchanged', async () => {
    const other = await app.createAccount();
    const lines = Array.from(
      { length: 1_010 },
      (_, index) => `https://example.com/many/${index},"${index % 2 ? '＝' : '='}1+${index}"`,
    );
    expect(await run(`destination_url,name\n${lines.join('\n')}`, other.email)).toBe('Made 1,010 links.\n');
    const { text } = await get('/link.csv', other.key);
    const third = await app.createAccount();
    const renamed = text.replaceAll(/^(\d+,[^,]*,[^,]*,[^,]*,)/gm, '$1x');
    expect(await run(renamed, third.email)).toBe('Made 1,010 links.\n');
    const { json } = await get('/link?limit=1', third.key);
    expect(json.total_links).toBe(1_010);
    expect(json.links[0].name).toBe('=1+0');
    expect((await get('/link?limit=1&offset=1', third.key)).json.links[0].name).toBe('＝1+1');
  });

  test('a link whose webhook gets no events gets none after an import of its export', async () => {
    const [other, third] = [await app.createAccount(), await app.createAccount()];
    const body = { destination_url: 'https://example.com', webhook_events: [] };
    await app.call('POST', '/api/v1/link', { key: other.key, body });
    const { text } = await get('/link.csv', other.key);
    const withoutSuffixes = text.replaceAll(/^([^,]*,[^,]*,[^,]*,[^,]*),(?!suffix)[^,]*/gm, '$1,');
    expect(await run(withoutSuffixes, third.email)).toBe('Made 1 link.\n');
    expect((await get('/link', third.key)).json.links[0].webhook_events).toEqual([]);
  });

  test('two imports at once share the tags that both need', async () => {
    const other = await app.createAccount();
    const lines = Array.from({ length: 60 }, (_, index) => `example.com,"tag ${index}, tag ${index + 1}"`);
    const csv = `destination_url,tags\n${lines.join('\n')}`;
    expect(await Promise.all(['one.csv', 'two.csv'].map((name) => run(csv, other.email, name)))).toEqual([
      'Made 60 links.\n',
      'Made 60 links.\n',
    ]);
    const { json } = await get('/tag', other.key);
    expect(json.map((tag: { links: number }) => tag.links).sort()).toEqual([2, 2, ...Array(59).fill(4)]);
  });

  test('tags of lines that are refused are not made', async () => {
    const other = await app.createAccount();
    await app.call('POST', '/api/v1/tag', { key: other.key, body: { name: 'there before' } });
    const lines = [
      'destination_url,suffix,tags,click_limit',
      'example.com,unused-1,"new, there before, of a wrong number",0',
      `example.com,unused-2,"of a long tag, ${'x'.repeat(101)}",`,
      'example.com,unused-3,"new, shared",',
      'example.com,unused-3,"shared, of a taken suffix",',
      ...Array.from({ length: 1_000 }, (_, index) => `example.com,more-${index},,`),
      'example.com,unused-4,of a taken suffix,',
      'example.com,unused-4,of another batch,',
    ];
    expect(await run(lines.join('\n'), other.email)).toStartWith('Made 1,002 links. Not made: 4.\n');
    const tags: { name: string; links: number }[] = (await get('/tag', other.key)).json;
    expect(tags.map(({ name, links }) => [name, links])).toEqual([
      ['there before', 0],
      ['new', 1],
      ['shared', 1],
      ['of a taken suffix', 1],
    ]);
  });

  test('whatever breaks an import off, it says how much was made', async () => {
    const other = await app.createAccount();
    const lines = Array.from({ length: 2_001 }, (_, index) => `https://example.com/${index}`);
    const { context } = app.app;
    let writes = 0;
    const database = Object.assign(Object.create(context.database), {
      write: (...given: Parameters<typeof context.database.write>) => {
        if (++writes > 2) throw new Error('the disk is full');
        return context.database.write(...given);
      },
    });
    const file = join(app.dataDir, 'broken-off.csv');
    await Bun.write(file, `destination_url\n${lines.join('\n')}`);
    const result = importLinks.run({ ...context, database }, { email: other.email, file });
    expect(await Promise.resolve(result).catch((cause) => cause.message)).toBe(
      'the disk is full. Made 2,000 links so far; the last of their lines is 2001.\n' +
        'Before you import the lines after that, look whether the first of those links is there already.',
    );
    expect((await get('/link?limit=1', other.key)).json.total_links).toBe(2_000);
  });

  onOneStore(store, () => {
    test('spaces around aliases are no aliases', async () => {
      const other = await app.createAccount();
      const csv =
        'destination_url,suffix,aliases\nhttps://a.example,around-1, around-2  around-3 \nb.example,around-4, \n';
      expect(await run(csv, other.email)).toBe('Made 2 links.\n');
      const { links } = (await get('/link?sort=suffix', other.key)).json;
      expect(links.map(({ aliases }: { aliases: string[] }) => aliases)).toEqual([
        [`${app.url}/around-2`, `${app.url}/around-3`],
        [],
      ]);
    });

    test('names and tags with quotes and commas are imported as they were exported', async () => {
      const other = await app.createAccount();
      const names = ['=1+1', "'=1+1", "''＝1+1", "'tis", '"quoted", with a comma', '-'];
      const tags = ['red, green', 'red', '5" disk', '"A" team', '=sum', "'=sum"];
      for (const [index, name] of names.entries()) {
        const key = other.key;
        const { json: tag } = await app.call('POST', '/api/v1/tag', { key, body: { name: tags[index] } });
        const body = { destination_url: 'https://example.com', name, tags: [tag.id] };
        expect((await app.call('POST', '/api/v1/link', { key, body })).status).toBe(201);
      }
      const textsOf = async (key: string) =>
        ((await get('/link', key)).json.links as { name: string; tags: { name: string }[] }[])
          .map((link) => [link.name, link.tags.map((tag) => tag.name)] as const)
          .sort();
      const { text } = await get('/link.csv', other.key);
      const third = await app.createAccount();
      const withoutSuffixes = text.replaceAll(/^([^,]*,[^,]*,[^,]*,[^,]*),(?!suffix)[^,]*/gm, '$1,');
      expect(await run(withoutSuffixes, third.email)).toBe('Made 6 links.\n');
      expect(await textsOf(third.key)).toEqual(await textsOf(other.key));
      expect((await get('/link?q=tis', third.key)).json.links[0].tags[0].name).toBe('"A" team');
    });

    test('a cell that is neither true nor false is refused', async () => {
      const flags = ['yes', 'TRUE', '1', 'false', '0', 'wahr'];
      const lines = flags.map((flag, index) => `example.com,flag-${index},${flag}`);
      expect(await run(`destination_url,suffix,statistics\n${lines.join('\n')}`)).toMatch(
        /^Made 4 links\. Not made: 2\.\n {2}Line 2: "statistics" must be true or false.*\n {2}Line 7: /,
      );
      const { json } = await get('/link?sort=suffix&limit=100');
      const made = (json.links as { suffix: string; statistics: boolean }[]).flatMap((link) =>
        link.suffix.startsWith('flag-') ? [link.statistics] : [],
      );
      expect(made).toEqual([true, true, false, false]);
    });

    test('spaces after commas are not part of a value', async () => {
      const other = await app.createAccount();
      const header =
        'destination_url, suffix, disabled, forward_query, qr_code_foreground_hex, click_limit, has_password';
      const row = 'example.com, blanks, true , merge , #abcdef , 5 , false';
      expect(await run(`${header}\n${row}\nexample.com, , , , , , `, other.email)).toBe('Made 2 links.\n');
      expect((await get('/link?q=blanks', other.key)).json.links[0]).toMatchObject({
        disabled: true,
        forward_query: 'merge',
        qr_code_foreground_hex: '#abcdef',
        click_limit: 5,
      });
    });

    test('a row with more cells than columns is refused, because an unquoted comma has shifted them', async () => {
      const other = await app.createAccount();
      const { output, exitCode } = await resultOf(
        'destination_url,suffix,\nhttps://maps.example/@52.5,13.4,17z,berlin\nhttps://maps.example/@52.5,13.5,17z\n"https://maps.example/@52.5,13.4",maps,\n',
        other.email,
      );
      expect(output).toBe(
        'Made 1 link. Not made: 2.' +
          '\n  Line 2: It has 4 cells, and the first line names 3 columns. Put a cell that contains a comma into quotes.' +
          '\n  Line 3: Its column 3 has no name in the first line.\n',
      );
      expect(exitCode).toBe(1);
      expect((await resultOf('destination_url\nexample.com', other.email)).exitCode).toBe(0);
    });

    test('a refusal names the columns of all its problems', async () => {
      const csv = 'destination_url,click_limit,statistics\nexample.com,never,perhaps\nexample.com,0,\n';
      const output = await run(csv, (await app.createAccount()).email);
      expect(output).toStartWith(
        'Made 0 links. Not made: 2.\n  Line 2: click_limit: Send a whole number from 1 to ',
      );
      expect(output).toMatch(
        / for no limit\. "statistics" must be true or false.*\n {2}Line 3: "click_limit" must be at least 1\.\n$/,
      );
    });

    test('only plain whole numbers are numbers', async () => {
      const cells = ['0x10', '1e3', '+5', '-5', '5.0', '0b11', '١٢', 'Infinity'];
      const rows = [...cells.map((cell) => `example.com,${cell},`), 'example.com,,3e2', 'example.com,5,307'];
      const csv = ['destination_url,click_limit,redirect_status', ...rows].join('\n');
      const other = await app.createAccount();
      const output = await run(csv, other.email);
      expect(output).toStartWith('Made 1 link. Not made: 9.\n');
      for (const index of cells.keys())
        expect(output).toContain(`\n  Line ${index + 2}: click_limit: Send a whole number from 1 to `);
      expect(output).toContain('\n  Line 10: redirect_status: Send 301, 302, 307 or 308');
      expect((await get('/link', other.key)).json.links).toMatchObject([
        { click_limit: 5, redirect_status: 307 },
      ]);
    });

    test('a tag that can not be made is refused by its column', async () => {
      const csv = `destination_url,name,tags\nexample.com,Short,"a,${'x'.repeat(101)}"\n`;
      expect(await run(csv, (await app.createAccount()).email)).toBe(
        'Made 0 links. Not made: 1.\n  Line 2: A tag in "tags" must have at most 100 characters.\n',
      );
    });

    test('rows without any cell that is not empty are passed over', async () => {
      const csv = 'destination_url,suffix\n,\nexample.com,\n , \n\n';
      const result = await resultOf(csv, (await app.createAccount()).email);
      expect(result).toEqual({ output: 'Made 1 link.\n', exitCode: 0 });
    });

    test('a column that links do not have is refused, with the name that was probably meant', async () => {
      const causeOf = (csv: string) => run(csv).catch((cause) => cause.message);
      const row = 'https://example.com,secret,2020-01-01,x';
      expect(await causeOf(`destination_url,pasword,expiry_date,colour\n${row}`)).toBe(
        'Links have no such column: "pasword" (did you mean "password"?), "expiry_date" (did you mean "expiration_date"?), "colour". ' +
          'Correct the first line, or remove the column. Nothing was made.',
      );
      expect(await causeOf('Destination-URL\nexample.com')).toContain('(did you mean "destination_url"?)');
      expect(await causeOf('destination_url,name,name\nexample.com,a,b')).toContain(
        'the column "name" twice',
      );
    });

    test('a link that had a password is not made public by an import of its export', async () => {
      const other = await app.createAccount();
      const body = { destination_url: 'https://example.com', suffix: 'gated', password: 'sesame' };
      await app.call('POST', '/api/v1/link', { key: other.key, body });
      const { text } = await get('/link.csv', other.key);
      const third = await app.createAccount();
      const renamed = text.replace(',gated,', ',gated-again,');
      expect(await resultOf(renamed, third.email)).toEqual({
        output: expect.stringMatching(
          /^Made 0 links\. Not made: 1\.\n {2}Line 2: It had a password \(has_password\)/,
        ),
        exitCode: 1,
      });
      const withPassword = renamed.replace('\r\n', ',password\r\n').replace(/\r\n$/, ',sesame\r\n');
      expect(await run(withPassword, third.email)).toBe('Made 1 link.\n');
      expect((await get('/link', third.key)).json.links).toMatchObject([{ has_password: true }]);
      const asPublic = text.replace(',gated,', ',gated-no-more,').replace(',true,', ',,');
      expect(await run(asPublic, third.email)).toBe('Made 1 link.\n');
    });

    test('a file that can not be read to its end is reported with what was made of it', async () => {
      const other = await app.createAccount();
      const causeOf = (csv: string | Uint8Array) => run(csv, other.email).catch((cause) => cause.message);
      const lines = Array.from({ length: 1_010 }, (_, index) => `https://example.com/${index}`);
      const csv = `destination_url\n${lines.with(1, 'no address').join('\n')}\n"https://example.com`;
      expect(await causeOf(csv)).toMatch(
        /the text that begins in line 1012 has no closing quote\. Of the lines up to 1001, 999 links had been made\. Not made: 1\.\n {2}Line 3: .+\.$/,
      );
      expect(await causeOf(Buffer.from('destination_url,name\nexample.com,Café', 'latin1'))).toEndWith(
        'can not be read: it is not in UTF-8; save it as CSV in UTF-8. Nothing was made.',
      );
      expect(await causeOf(Buffer.from('\ufeffdestination_url\nexample.com', 'utf16le'))).toContain('UTF-8');
      expect((await get('/link', other.key)).json.total_links).toBe(999);
    });

    test('a file that is not a table of links is refused with a message', async () => {
      const causeOf = (csv: string) => run(csv).catch((cause) => cause.message);
      expect(await causeOf('')).toContain('destination_url must be among them');
      expect(await causeOf('url\nhttps://example.com')).toContain('destination_url must be among them');
      expect(await causeOf('destination_url\n"https://example.com')).toContain('no closing quote');
      const missing = { email: owner.email, file: join(app.dataDir, 'nowhere.csv') };
      expect(await importLinks.run(app.app.context, missing).catch((cause) => cause.message)).toContain(
        'can not be read',
      );
    });
  });
});
