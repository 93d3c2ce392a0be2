import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { segmentFile } from '../src/journal/files.ts';
import type { RawHit } from '../src/journal/hit.ts';
import { RecordWriter } from '../src/journal/record-writer.ts';
import { hourLength } from '../src/rules/durations.ts';
import { plainHit as emptyHit } from '../test/support/plain-hit.ts';
import { seededRandom, shuffled, zipf } from './redirect/zipf.ts';

const agents = 2_000;
const addresses = 50_000;
const hitsPerRecord = 32;
const recordsPerSegment = 4_000;

/** The user agent with this index: the same for equal indexes. */
export function agentAt(index: number): string {
  const version = 100 + (index % 45);
  const build = Math.floor(index / 45);
  switch (index % 5) {
    case 0:
      return `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.${build}.0 Safari/537.36`;
    case 1:
      return `Mozilla/5.0 (iPhone; CPU iPhone OS 18_${build} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.${version} Mobile/15E148 Safari/604.1`;
    case 2:
      return `Mozilla/5.0 (Linux; Android 1${index % 6}; SM-S9${build}B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Mobile Safari/537.36`;
    case 3:
      return `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_${build}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version}.1 Safari/605.1.15`;
    default:
      return index % 50 === 4
        ? `Mozilla/5.0 (compatible; Somebot/${version}.${build}; +https://bot.example.com/)`
        : `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.${build}`;
  }
}

const languages = [
  'en-US,en;q=0.9',
  'en-GB,en;q=0.8',
  'de-DE,de;q=0.9',
  'fr-FR,fr;q=0.9',
  'pt-BR,pt;q=0.9',
  '',
];

/** A visit of one of the browsers to a link, without anything that only some visits have. */
export const plainHit: RawHit = {
  ...emptyHit,
  address: '127.0.0.1',
  userAgent: agentAt(0),
  acceptLanguage: languages[0] ?? '',
};

/** A busy hour: hits sorted by time, distributed over the links by Zipf's law. */
export function* hitMix(count: number, until: number, links = 10_000): Generator<RawHit> {
  const random = seededRandom(7);
  const linkOf = zipf(links);
  for (let index = 0; index < count; index++) {
    const visitor = Math.floor(random() * addresses);
    const hasCampaign = random() < 0.15;
    const hasReferer = random() < 0.5;
    yield {
      ...plainHit,
      linkId: 1 + linkOf(random()),
      organizationId: 1,
      at: Math.floor(until - hourLength + (hourLength * index) / count),
      address: `${81 + (visitor % 90)}.${(visitor >> 8) & 255}.${visitor & 255}.${visitor % 251}`,
      userAgent: agentAt(visitor % agents),
      acceptLanguage: languages[visitor % languages.length] ?? '',
      referer: hasReferer ? `https://site-${Math.floor(random() * 300)}.example.org/page` : '',
      query: hasCampaign
        ? `?utm_source=mail&utm_medium=email&utm_campaign=week-${Math.floor(random() * 20)}`
        : '',
    };
  }
}

/** Visits of one browser, as load generators send them: ten minutes, distributed over the links by Zipf's law. */
export function* plainHits(count: number, until: number, linkCount: number): Generator<RawHit> {
  const random = seededRandom(11);
  const linkOf = zipf(linkCount);
  // The popularity of a link is independent of when it was created.
  const ids = shuffled(
    Array.from({ length: linkCount }, (_, index) => 1 + index),
    random,
  );
  const tenMinutes = hourLength / 6;
  for (let made = 0; made < count; made++) {
    yield {
      ...plainHit,
      linkId: ids[linkOf(random())] ?? 1,
      organizationId: 1,
      at: Math.floor(until - tenMinutes + (tenMinutes * made) / count),
    };
  }
}

/** Writes the journal that a process with these hits would leave behind. Returns its size in bytes. */
export function writeJournal(folder: string, hits: Iterable<RawHit>): number {
  mkdirSync(folder, { recursive: true });
  let file: number | null = null;
  let segment = 0;
  let records = 0;
  let bytes = 0;
  const writer = new RecordWriter();
  let pendingHits = 0;
  const flush = () => {
    if (pendingHits === 0) return;
    if (records++ % recordsPerSegment === 0) {
      if (file !== null) closeSync(file);
      file = openSync(segmentFile(folder, ++segment), 'w');
    }
    bytes += writeSync(file as number, writer.finish());
    pendingHits = 0;
  };
  for (const hit of hits) {
    writer.add(hit);
    if (++pendingHits === hitsPerRecord) flush();
  }
  flush();
  if (file !== null) closeSync(file);
  return bytes;
}
