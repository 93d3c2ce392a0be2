import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import listedCrawlers from 'crawler-user-agents';
import commonAgents from 'top-user-agents';
import { classOfAgent } from '../src/rules/agents/agent-class.ts';
import { readAgent } from '../src/rules/agents/user-agent.ts';
import { agentLines, crawlerAgents } from './support/agent-lists.ts';
import { appAgents } from './support/agents-of-apps.ts';

/**
 * Entries that a list has on the wrong side, or that no user agent reveals, each with the reason. Only these are left out
 * of the counts.
 */
const leftOut: Readonly<Record<string, string>> = {
  'Mozilla/5.0 (Linux; Android 15; CPH2557 Build/AP3A.240617.008; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.7444.142 Mobile Safari/537.36 Instagram 406.0.0.58.159 Android (35/15; 480dpi; 1080x2400; OPPO; CPH2557; OP573DL1; mt6833; en_MY; 822918295; IABMV/1) NV/1':
    "Instagram's browser on an OPPO telephone: the list goes by the number of its Android build",
  'Mozilla/5.0 (Linux; Android 16; Pixel 10 Pro XL Build/CP1A.260305.018; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/146.0.7680.174 Mobile Safari/537.36 MetaIAB Facebook':
    "Facebook's own browser (IAB is the in-app browser), in which a person reads",
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Code/1.115.0 Chrome/142.0.7444.265 Electron/39.8.5 Safari/537.36':
    'the pages shown within Visual Studio Code, to the person who opened them',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Trae/1.107.1 Chrome/142.0.7444.235 Electron/39.2.7 Safari/537.36':
    'the same of another editor',
  'Mozilla/5.0 (Macintosh; U; Intel Mac OS X 10_5_6; en-us) AppleWebKit/528.16 (KHTML, like Gecko) Fluid/0.9.6 Safari/528.16':
    'a browser for single sites on a Mac; isbot has it among the browsers',
  'SAMSUNG-S8000/S8000XXIF3 SHP/VPP/R5 Jasmine/1.0 Nextreaming SMM-MMS/1.92.0 profile/MIDP-2.1 configuration/CLDC-1.1 FirePHP/0.3(Linux LLC 1.2)':
    'FirePHP is an extension that a developer has in the browser',
};

interface DescribedAgent {
  readonly userAgent: string;
  readonly device: string;
  /** Null if the list doesn't say. */
  readonly os: string | null;
  readonly browser: string | null;
}

const describedIn = (name: string): DescribedAgent[] =>
  agentLines(name).map((line) => {
    const [device = '', os = '', browser = '', ...rest] = line.split('|');
    return { device, os: os || null, browser: browser || null, userAgent: rest.join('|') };
  });

/** In the package's format: `platform` is the browser's `navigator.platform`. */
interface SeenAgent {
  readonly userAgent: string;
  readonly platform: string;
  readonly deviceCategory: string;
}

/** Platforms that imply one system. "Linux x86_64" isn't one, as emulated phones report it too. */
const systemOfPlatform: Readonly<Record<string, string>> = {
  iPhone: 'iOS',
  iPad: 'iOS',
  MacIntel: 'macOS',
  Win32: 'Windows',
};

const seenAgents: readonly SeenAgent[] = JSON.parse(
  readFileSync(fileURLToPath(new URL('user-agents.json', import.meta.resolve('user-agents'))), 'utf8'),
);

const described: Readonly<Record<string, readonly DescribedAgent[]>> = {
  'user-agents 2.1.198': seenAgents.map(({ userAgent, platform, deviceCategory }) => ({
    userAgent,
    device: deviceCategory,
    os: systemOfPlatform[platform] ?? null,
    browser: null,
  })),
  'device-detector': describedIn('device-detector'),
  'device-detector, held out': describedIn('device-detector-held-out'),
  'WhichBrowser, televisions': describedIn('whichbrowser-televisions'),
  'app browsers of ours': appAgents.map(({ app, ...agent }) => ({ ...agent, browser: app })),
};

const people: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(described).map(([list, rows]) => [list, rows.map(({ userAgent }) => userAgent)]),
  ),
  'top-user-agents 2.1.138': commonAgents,
  'isbot, browsers': agentLines('isbot-browsers'),
  'device-detector, clients': agentLines('device-detector-clients'),
};

const machines: Readonly<Record<string, readonly string[]>> = {
  'crawler-user-agents 1.60.0': listedCrawlers.flatMap(({ instances }) => instances),
  'isbot, crawlers': agentLines('isbot-crawlers'),
  'device-detector, bots': agentLines('device-detector-bots'),
  'machines of ours': crawlerAgents,
};

const counted = (agents: readonly string[]): string[] =>
  [...new Set(agents)].filter((userAgent) => !Object.hasOwn(leftOut, userAgent));

const isPerson = (userAgent: string): boolean => classOfAgent(userAgent).class === 'human';

/** Fails, listing all wrong entries, if their share is larger than `share`. */
function expectAtMost(share: number, all: readonly unknown[], wrong: readonly unknown[]): void {
  expect(all.length).toBeGreaterThan(0);
  expect(wrong.length / all.length <= share ? [] : wrong).toEqual([]);
}

const withAll = <T>(lists: Readonly<Record<string, readonly T[]>>): [string, readonly T[]][] => [
  ...Object.entries(lists),
  ['all lists together', Object.values(lists).flat()],
];

test('our own lists have at least 400 machines and 400 app browsers, without duplicates', () => {
  for (const agents of [crawlerAgents, appAgents.map(({ userAgent }) => userAgent)]) {
    expect(new Set(agents).size).toBe(agents.length);
    expect(agents.length).toBeGreaterThanOrEqual(400);
  }
});

test('entries excluded from the lists exist in them', () => {
  const all = new Set([...Object.values(machines), ...Object.values(people)].flat());
  expect(Object.keys(leftOut).filter((userAgent) => !all.has(userAgent))).toEqual([]);
});

describe('at least 99.5 percent of the machines are detected', () => {
  test.each(withAll(machines))('%s', (_, agents) => {
    const all = counted(agents);
    expectAtMost(0.005, all, all.filter(isPerson));
  });
});

describe('at most one in a thousand people counts as a machine', () => {
  test.each(withAll(people))('%s', (_, agents) => {
    const all = counted(agents);
    expectAtMost(
      0.001,
      all,
      all.filter((userAgent) => !isPerson(userAgent)),
    );
  });
});

describe('the device, system and browser are recognised', () => {
  const devices = { tablet: 0.05, tv: 0.1 };
  for (const [list, rows] of withAll(described)) {
    const read = rows.map((row) => ({ ...row, read: readAgent(row.userAgent) }));
    test(`${list}: the device of 97 percent`, () =>
      expectAtMost(
        0.03,
        read,
        read.filter((row) => row.read.device !== row.device),
      ));
    for (const [device, share] of Object.entries(devices)) {
      const ofDevice = read.filter((row) => row.device === device);
      if (ofDevice.length > 0)
        test(`${list}: the device of ${100 - share * 100} percent of the entries with the device ${device}`, () =>
          expectAtMost(
            share,
            ofDevice,
            ofDevice.filter((row) => row.read.device !== device),
          ));
    }
    test(`${list}: the system of 99 percent`, () => {
      const withSystem = read.filter(({ os }) => os !== null);
      expectAtMost(
        0.01,
        withSystem,
        withSystem.filter((row) => row.read.os !== row.os),
      );
    });
    const withBrowser = read.filter(({ browser }) => browser !== null);
    if (withBrowser.length > 0)
      test(`${list}: the browser of 97 percent`, () =>
        expectAtMost(
          0.03,
          withBrowser,
          withBrowser.filter((row) => row.read.browser !== row.browser),
        ));
  }
});
