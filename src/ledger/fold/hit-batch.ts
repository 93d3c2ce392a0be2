import type { RecordBytes } from '../../journal/record.ts';
import { classify } from '../../rules/click-class.ts';
import { classCodes, outcomes, reasonCodes, sourceCodes, utmFields } from '../../rules/click-fields.ts';
import { type ClickSource, clickSource } from '../../rules/click-source.ts';
import { countryCode } from '../../rules/country.ts';
import { dayLength, hourLength } from '../../rules/durations.ts';
import { ruleWords } from '../../rules/link-rules/matched-rule.ts';
import { dayOf, hourOf } from '../../rules/utc-time.ts';
import { ByteCache } from '../../structures/byte-cache.ts';
import { yieldCore } from '../../threads/yield-core.ts';
import { noVisitor } from '../fold-store.ts';
import { HitColumns } from '../hit-columns.ts';
import { BatchLinks } from './batch-links.ts';
import { countedReferrer, type EnrichParts, type Referrer, readReferrer } from './enrich.ts';
import { FloodWatch } from './flood-watch.ts';
import { HitCursor } from './hit-cursor.ts';
import { lowerHalf, noKey, repeatKey, upperHalf } from './repeat-key.ts';
import type { TimeBound } from './server-clock.ts';
import { otherValues, type ValueLimit } from './value-limit.ts';
import { VisitorCache, type VisitorFacts } from './visitor-cache.ts';
import type { WordIds } from './word-ids.ts';

const redirect = outcomes.indexOf('redirect');
/** A batch that spans more is ended: kinds of roll-ups are small numbers. */
const maxHours = 1_024;
/** After the language, the referrer and the UTM parameters. */
const cityField = 2 + utmFields.length;
const aliasField = cityField + 1;
const maxReferrers = 16_384;
const maxQueries = 8_192;

/** The hits of a batch in the form of the ledger, with their links and hours. Reused for every batch. */
export class HitBatch {
  readonly columns = new HitColumns();
  readonly links = new BatchLinks();
  hours: number[] = [];
  /** Clicks of quiet links, by link: they are in no column. */
  readonly quietClicks = new Map<number, number>();
  #quiet = 0;
  readonly #words: WordIds;
  readonly #limit: ValueLimit;
  readonly #parts: EnrichParts;
  readonly #visitors: VisitorCache;
  readonly #referrers = new ByteCache<Referrer>(maxReferrers);
  readonly #queries = new ByteCache<ClickSource>(maxQueries);
  readonly #cursor = new HitCursor();
  /** The day and the hour of the previous hit, and when they begin. */
  #day = 0;
  #dayBegin = Number.NaN;
  #hour = 0;
  #hourBegin = Number.NaN;
  #isHitWaiting = false;
  readonly #floods: FloodWatch | null;

  /** `floodLimit` is the limit per minute, 0 for none. */
  constructor(words: WordIds, limit: ValueLimit, parts: EnrichParts, floodLimit = 0) {
    this.#floods = floodLimit === 0 ? null : new FloodWatch(floodLimit);
    this.#words = words;
    this.#limit = limit;
    this.#parts = parts;
    this.#visitors = new VisitorCache(parts, words);
  }

  /** Pairs of row and link-network key, for each hit that may be part of a flood. */
  get hot(): Float64Array {
    return this.#floods?.hot.all ?? new Float64Array();
  }

  get count(): number {
    return this.columns.count;
  }

  /** Everything that was read: the rows, and the clicks of quiet links. */
  get length(): number {
    return this.columns.count + this.#quiet;
  }

  /** Whether no more hits should be added, however few there are. */
  get isFull(): boolean {
    return this.hours.length >= maxHours;
  }

  /** Hits with a time after the bound come from a wrong clock. */
  begin(bound: TimeBound | null = null): void {
    if (bound !== null) this.#cursor.bound(bound);
    if (this.#words.trim()) {
      this.#visitors.clear();
      this.#limit.clear();
    }
    this.columns.begin();
    this.#floods?.hot.clear();
    this.links.begin();
    this.hours = [];
    this.quietClicks.clear();
    this.#quiet = 0;
    this.#dayBegin = Number.NaN;
    this.#hourBegin = Number.NaN;
    this.#isHitWaiting = false;
  }

  /** Frees the memory of its hits, which are lost. */
  release(): void {
    this.columns.release();
    this.links.release();
  }

  /** Clears the cache of visitors. */
  forgetVisitors(): void {
    this.#visitors.clear();
  }

  /**
   * Adds the hits of a record. Stops before a hit of a day that isn't ready, and returns the day: a call with null continues
   * there. Returns null at the end.
   */
  add(record: RecordBytes | null, isReady: (day: number) => boolean): number | null {
    const cursor = this.#cursor;
    if (record !== null) cursor.begin(record);
    yieldCore();
    while (this.#isHitWaiting || cursor.next()) {
      if (cursor.isQuiet) {
        this.#addQuietClick(cursor.linkId);
        continue;
      }
      if (!isWithin(cursor.at, this.#dayBegin, dayLength)) {
        const day = dayOf(cursor.at);
        this.#isHitWaiting = !isReady(day);
        if (this.#isHitWaiting) return day;
        this.#day = day;
        this.#dayBegin = day * dayLength;
      }
      this.#addHit(cursor);
    }
    return null;
  }

  #addQuietClick(linkId: number): void {
    this.quietClicks.set(linkId, (this.quietClicks.get(linkId) ?? 0) + 1);
    this.#quiet += 1;
  }

  #addHit(hit: HitCursor): void {
    const { columns, links } = this;
    const { at, linkId, outcome } = hit;
    if (!isWithin(at, this.#hourBegin, hourLength)) this.#toHour(hourOf(at));
    const facts = this.#visitors.of(hit, this.#day);
    const row = columns.add();
    const linkIndex = links.indexOf(linkId, hit.organizationId);
    links.hits[linkIndex] = (links.hits[linkIndex] ?? 0) + 1;
    columns.linkIndex[row] = linkIndex;
    columns.linkId[row] = linkId;
    columns.organizationId[row] = hit.organizationId;
    columns.at[row] = at;
    columns.outcome[row] = outcome;
    columns.target[row] = hit.target;
    columns.class[row] = facts.class;
    columns.reason[row] = facts.reason;
    columns.device[row] = facts.device;
    columns.country[row] = facts.country;
    columns.os[row] = facts.os;
    columns.browser[row] = facts.browser;
    columns.language[row] = this.#limitedWord(linkId, 0, facts.language);
    if (facts.city !== 0 || facts.region !== 0) this.#writePlace(linkId, facts, row);
    if (!hit.isBare) this.#writeMore(hit, row);
    const { visitor } = facts;
    columns.visitor[row] = hit.doNotTrack ? noVisitor : visitor;
    // Visitors who asked not to be tracked have a key too: it is kept for minutes, and never stored with other data about the
    // visitor.
    const isClick = outcome === redirect && visitor !== noVisitor && columns.class[row] === classCodes.human;
    if (isClick && this.#floods?.isHot(linkId, facts.network, at)) this.#noteHot(hit, facts, row);
    const mayRepeat = isClick && columns.source[row] !== sourceCodes.qr;
    columns.repeatKey[row] = mayRepeat
      ? repeatKey(facts.lower, facts.upper, linkId, facts.languages, hit.refererHash, hit.queryHash)
      : noKey;
  }

  #noteHot(hit: HitCursor, facts: VisitorFacts, row: number): void {
    const network = this.#visitors.networkHash(facts, hit);
    const pair = repeatKey(lowerHalf(network), upperHalf(network), hit.linkId, 0, 0, 0);
    this.#floods?.hot.push2(row, pair);
  }

  #toHour(hour: number): void {
    this.#hour = hour;
    this.#hourBegin = hour * hourLength;
    // Almost always one or two: a list is faster than a map.
    if (!this.hours.includes(hour)) this.hours.push(hour);
  }

  #writeMore(hit: HitCursor, row: number): void {
    const { columns } = this;
    const { linkId } = hit;
    const origins = columns.origins.use();
    const referrer = countedReferrer(hit.refererFrom(this.#referrers, readReferrer), this.#parts);
    const [ofReferrer] = origins;
    if (ofReferrer !== undefined) ofReferrer[row] = this.#limited(linkId, 1, referrer);
    if (hit.isPlain) return;
    const parts = this.#parts;
    const { source, utm } = hit.queryFrom(this.#queries, clickSource);
    columns.source[row] = sourceCodes[source];
    for (let index = 0; index < utmFields.length; index++) {
      const column = origins[1 + index];
      const name = utmFields[index];
      if (column !== undefined && name !== undefined)
        column[row] = this.#limited(linkId, 2 + index, utm[name]);
    }
    const { matchedRule, alias } = hit;
    const country = countryCode(hit.countryHint);
    if (country !== null) this.#writeCountry(this.#words.indexOf(country), row);
    if (matchedRule !== '') this.#writeRule(matchedRule, row);
    if (alias !== '') this.#writeAlias(linkId, alias, row);
    if (hit.purpose === '' && hit.headerEvidence === 'none') return;
    const found = classify(hit, () => parts.agentOf(hit.userAgent).classification);
    columns.class[row] = classCodes[found.class];
    columns.reason[row] = reasonCodes[found.reason];
  }

  /** A link can have too many cities to count each of them separately. */
  #writePlace(linkId: number, { region, city }: VisitorFacts, row: number): void {
    const [ofRegion, ofCity] = this.columns.places.use();
    if (ofRegion !== undefined) ofRegion[row] = region;
    if (ofCity !== undefined) ofCity[row] = this.#limitedWord(linkId, cityField, city);
  }

  /** The country as a proxy names it. If the file names another one, its region and city are wrong as well. */
  #writeCountry(country: number, row: number): void {
    const { columns } = this;
    if (columns.country[row] === country) return;
    columns.country[row] = country;
    for (const column of columns.places.all) column[row] = 0;
  }

  /** The suffix is one of the link's; but a scanner may try many hosts. */
  #writeAlias(linkId: number, alias: string, row: number): void {
    const [ofAlias] = this.columns.aliases.use();
    if (ofAlias !== undefined) ofAlias[row] = this.#limited(linkId, aliasField, alias);
  }

  /** These are ids that an organization gave its rules: no visitor can make them up. */
  #writeRule(matchedRule: string, row: number): void {
    const words = this.#words;
    const [ofRule, ofVariant] = this.columns.rules.use();
    const { rule, variant } = ruleWords(matchedRule);
    if (ofRule !== undefined) ofRule[row] = words.indexOf(rule);
    if (ofVariant !== undefined && variant !== '') ofVariant[row] = words.indexOf(variant);
  }

  /** The index of the word that a value is stored as. Creates no word for a value beyond the limit. */
  #limited(linkId: number, field: number, value: string): number {
    const words = this.#words;
    const index = words.find(value);
    if (index >= 0) return this.#limitedWord(linkId, field, index);
    const isKept = this.#limit.hasRoom(linkId, field, this.#hour);
    return this.#limitedWord(linkId, field, words.indexOf(isKept ? value : otherValues));
  }

  #limitedWord(linkId: number, field: number, index: number): number {
    if (index === 0 || this.#limit.admits(linkId, field, this.#hour, index)) return index;
    return this.#words.indexOf(otherValues);
  }
}

const isWithin = (at: number, begin: number, length: number): boolean => at >= begin && at < begin + length;
