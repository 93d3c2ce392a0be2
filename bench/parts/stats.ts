import type { Effort } from '../effort.ts';
import { figure } from '../figures.ts';
import { callApi } from '../owner.ts';
import { startLinnet } from '../program.ts';
import { seededStore } from '../seed.ts';
import { formatNumber, formatRange, type Report } from '../table.ts';
import { hitsPerLink, hoursSeeded, seedRollUps } from './stats-rows.ts';

/** Promised in README: milliseconds for 30 days with the top countries, of a link and of the organization. */
const promised = { link: 20, organization: 100 };

/** The cost of statistics over the roll-ups of 100 million hits. */
export async function measureStats({ stats }: Effort): Promise<Report> {
  const { links, detailedEvery, calls } = stats;
  using store = await seededStore(links);
  const rows = seedRollUps(store, links, detailedEvery, Date.now());
  await using program = await startLinnet(store.dataDir);
  const credential = store.owner.key;
  const timed = async (path: (turn: number) => string, times: number) => {
    const milliseconds: number[] = [];
    for (let turn = 0; turn < times; turn++) {
      const startedAt = performance.now();
      await callApi(program, 'GET', path(turn), { credential });
      milliseconds.push(performance.now() - startedAt);
    }
    return figure(milliseconds);
  };
  const link = (turn: number) => rows.detailed[(turn * 7) % rows.detailed.length] ?? 1;
  const results = [
    {
      call: 'link: 30 days and top countries',
      promised_ms: promised.link,
      ms: await timed((turn) => `/api/v1/link/${link(turn)}/stats?group_by=country`, calls),
    },
    {
      call: 'link: 30 days alone',
      promised_ms: promised.link,
      ms: await timed((turn) => `/api/v1/link/${1 + ((turn * 37) % links)}/stats`, calls),
    },
    {
      call: 'organization: 30 days and top countries',
      promised_ms: promised.organization,
      ms: await timed(() => '/api/v1/stats?group_by=country', Math.ceil(calls / 4)),
    },
    {
      call: 'organization: 30 days by the hour',
      promised_ms: promised.organization,
      ms: await timed(() => '/api/v1/stats?interval=hour', Math.ceil(calls / 4)),
    },
  ];
  const count = (value: number) => value.toLocaleString('en-US');
  return {
    title: 'Statistics, SQLite',
    columns: ['ms', 'range', ''],
    rows: results.map(({ call, promised_ms, ms }) => [
      call,
      formatNumber(ms.median),
      formatRange(ms),
      ms.median <= promised_ms
        ? `within the promised ${promised_ms} ms`
        : `over the promised ${promised_ms} ms`,
    ]),
    notes: [
      `${count(links)} links with ${count(hitsPerLink)} clicks each in ${count(hoursSeeded)} hours: ${count(rows.hits)}. Roll-ups were inserted directly, in the order of a fold, in ${rows.seconds.toFixed(0)} s:`,
      `every link's totals and visitors, every ${detailedEvery}th link's countries and other classes (${count(rows.linkRows)} rows), and the organization's`,
      `totals, visitors, 230 countries and devices (${count(rows.organizationRows)} rows). Other dimensions have no rows. The range includes the first call of each.`,
    ],
    figures: {
      links,
      hits: rows.hits,
      link_rows: rows.linkRows,
      organization_rows: rows.organizationRows,
      results,
    },
  };
}
