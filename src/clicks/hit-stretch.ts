import { classify } from '../rules/click-class.ts';
import { type ClickSource, clickSource } from '../rules/click-source.ts';
import { noVisitor } from '../storage/fold-store.ts';
import { breathe } from '../threads/breath.ts';
import { classPlace, hourOf, reasonPlace, sources } from './codes.ts';
import { type EnrichParts, type Repeats, referrerOf } from './enrich.ts';
import { HitColumns } from './hit-columns.ts';
import { HitCursor } from './hit-cursor.ts';
import { NumberPlaces } from './number-places.ts';
import { People } from './people.ts';
import type { ValueLimit } from './value-limit.ts';
import { dayOf } from './visitor-hash.ts';
import type { WordPlaces } from './word-places.ts';

const repeat = classPlace('repeat');
const recentVisit = reasonPlace('recent_visit');
const qr = sources.indexOf('qr');
const plainSource = clickSource('');
/** A stretch that spans more is ended: kinds of roll-ups are small numbers. */
const mostHours = 1_024;

export interface StretchLink {
  /** In the order of first appearance. */
  readonly place: number;
  readonly id: number;
  readonly organizationId: number;
  hits: number;
  /** The language that came last, in that hour, and what stands for it: most links have one for long. */
  language: string;
  languageHour: number;
  languagePlace: number;
}

/** Hits one after another as the ledger will have them, and which links and hours they are of. Used again and again. */
export class HitStretch {
  readonly columns = new HitColumns();
  links: StretchLink[] = [];
  hours: number[] = [];
  readonly #words: WordPlaces;
  readonly #limit: ValueLimit;
  readonly #parts: EnrichParts;
  readonly #people: People;
  readonly #cursor = new HitCursor();
  readonly #linkPlaces = new NumberPlaces();
  #hasWaiting = false;

  constructor(words: WordPlaces, limit: ValueLimit, parts: EnrichParts) {
    this.#words = words;
    this.#limit = limit;
    this.#parts = parts;
    this.#people = new People(parts, words);
  }

  get count(): number {
    return this.columns.count;
  }

  /** Whether no more should come into it, however few there are. */
  get isFull(): boolean {
    return this.hours.length >= mostHours;
  }

  begin(): void {
    if (this.#words.trim()) this.#people.clear();
    this.columns.begin();
    this.links = [];
    this.hours = [];
    this.#linkPlaces.clear();
    this.#hasWaiting = false;
  }

  /** Who visited is forgotten. */
  forgetPeople(): void {
    this.#people.clear();
  }

  /**
   * Adds the hits of a record. Before a hit of a day that `isReady` doesn't know it stops, and returns the day: called
   * again with null it goes on. Returns null at the end.
   */
  add(record: Buffer | null, isReady: (day: number) => boolean, recentVisits: Repeats): number | null {
    const cursor = this.#cursor;
    if (record !== null) cursor.begin(record);
    breathe();
    while (this.#hasWaiting || cursor.next()) {
      const day = dayOf(cursor.at);
      this.#hasWaiting = !isReady(day);
      if (this.#hasWaiting) return day;
      this.#addHit(cursor, recentVisits);
    }
    return null;
  }

  #addHit(hit: HitCursor, recentVisits: Repeats): void {
    const row = this.columns.add();
    const hour = hourOf(hit.at);
    const link = this.#linkOf(hit.linkId, hit.organizationId);
    this.#writeFacts(hit, row, link, hour);
    const { linkId, at } = hit;
    const { columns } = this;
    if (columns.isClick(row)) {
      const visitor = columns.visitor[row] ?? noVisitor;
      if (visitor !== noVisitor && recentVisits.repeats(linkId, visitor, at)) {
        columns.class[row] = repeat;
        columns.reason[row] = recentVisit;
      }
    }
    // Whoever asked not to be tracked is told apart for seconds, and stored as nobody.
    if (hit.doNotTrack) columns.visitor[row] = noVisitor;
    columns.place[row] = link.place;
    link.hits += 1;
    // Almost always one or two hours: a list is quicker than a map.
    if (this.hours.at(-1) !== hour && !this.hours.includes(hour)) this.hours.push(hour);
  }

  #writeFacts(hit: HitCursor, row: number, link: StretchLink, hour: number): void {
    const { columns } = this;
    const person = this.#people.of(hit);
    columns.linkId[row] = hit.linkId;
    columns.organizationId[row] = hit.organizationId;
    columns.at[row] = hit.at;
    columns.outcome[row] = hit.outcome;
    columns.target[row] = hit.target;
    columns.class[row] = person.class;
    columns.reason[row] = person.reason;
    columns.device[row] = person.device;
    columns.country[row] = person.country;
    columns.os[row] = person.os;
    columns.browser[row] = person.browser;
    columns.language[row] = this.#languageOf(hit, link, hour, person.language);
    columns.referrer[row] = this.#limited(hit, 1, referrerOf(hit.referer, this.#parts));
    columns.visitor[row] = person.visitor;
    if (hit.isPlain) this.#writeSource(hit, row, plainSource);
    else this.#writeMore(hit, row);
  }

  #languageOf(hit: HitCursor, link: StretchLink, hour: number, language: string): number {
    if (link.languageHour !== hour || link.language !== language) {
      link.languagePlace = this.#limited(hit, 0, language);
      link.language = language;
      link.languageHour = hour;
    }
    return link.languagePlace;
  }

  #writeSource(hit: HitCursor, row: number, { source, utm }: ClickSource): void {
    const { columns } = this;
    columns.source[row] = source === 'qr' ? qr : 0;
    columns.utmSource[row] = this.#limited(hit, 2, utm.source);
    columns.utmMedium[row] = this.#limited(hit, 3, utm.medium);
    columns.utmCampaign[row] = this.#limited(hit, 4, utm.campaign);
    columns.utmTerm[row] = this.#limited(hit, 5, utm.term);
    columns.utmContent[row] = this.#limited(hit, 6, utm.content);
  }

  #writeMore(hit: HitCursor, row: number): void {
    const { columns } = this;
    const parts = this.#parts;
    this.#writeSource(hit, row, parts.clickSource(hit.query));
    const country = hit.countryHint === '' ? null : parts.hintedCountry(hit.countryHint);
    if (country !== null) columns.country[row] = this.#words.placeOf(country);
    if (hit.purpose === '') return;
    const found = classify(hit, () => parts.knownAgent(hit.userAgent).classification);
    columns.class[row] = classPlace(found.class);
    columns.reason[row] = reasonPlace(found.reason);
  }

  #limited(hit: HitCursor, field: number, value: string): number {
    if (value === '') return 0;
    return this.#words.placeOf(this.#limit.limited(hit.linkId, field, hit.at, value));
  }

  #linkOf(id: number, organizationId: number): StretchLink {
    const known = this.links[this.#linkPlaces.placeOf(id)];
    if (known) return known;
    const place = this.links.length;
    const link = { place, id, organizationId, hits: 0, language: '', languageHour: -1, languagePlace: 0 };
    this.links.push(link);
    this.#linkPlaces.add(id, place);
    return link;
  }
}
