import { Refusal } from '../rules/errors.ts';
import { type ClickQuestion, clicksAfter, type StoredClick } from '../stats/clicks.ts';
import type { LiveClicks } from '../stats/live-clicks.ts';
import { waitAtMost } from '../structures/with-timeout.ts';
import { clickAnswer } from './click-answer.ts';
import { chosenOwner } from './click-owner.ts';
import { endpoint, Reply } from './endpoint.ts';
import { rawSince } from './raw-since.ts';
import { LiveQuery } from './schemas/click.ts';

const maxPerChunk = 200;
/** Few of these hits may match: between searches a stream sends its heartbeat, and checks its credential. */
const maxSearched = 1_000_000;
const noClicks = { clicks: [], searchedTo: 0 };

export const stream = endpoint({
  summary: 'Follow the clicks of all links, or of some',
  description:
    'Server-Sent Events, one `click` event per hit with a Click as its data, within a second of the visit. After an interruption send the last id as `Last-Event-ID` (or `last_event_id`) and nothing is missed or sent twice. At most 20 streams an organization. A stream ends with its credential.',
  query: LiveQuery,
  statuses: { 200: 'Events, until either side ends the stream.' },
  streams: 'text/event-stream',
  async handle({ caller, query, headers, connection, signal, reauthorize }, context) {
    const { live, database } = context;
    const { organizationId } = caller;
    // A browser that reconnects sends the address with the first id again, and the last id in the header.
    const since = lastEventId(headers) ?? query.last_event_id;
    if (!live.hasRoomFor(organizationId)) {
      throw new Refusal(
        'TOO_MANY_STREAMS',
        'Too many streams of clicks are open. Close one, or try again in a while.',
        { retryAfter: 30 },
      );
    }
    const owner = await chosenOwner(context, caller, query);
    connection.keepOpen();
    const question: ClickQuestion = {
      owner,
      class: query.class,
      range: {},
      rawSince: rawSince(context),
    };
    const read = (after: number, upTo: number) =>
      clicksAfter(database, question, { after, upTo, limit: maxPerChunk });
    return new Reply({
      stream: {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
        chunks: (disconnected) =>
          events({ live, organizationId, since, endSignals: [signal, disconnected], reauthorize, read }),
      },
    });
  },
});

function lastEventId(headers: Headers): number | undefined {
  const sent = headers.get('last-event-id')?.trim() ?? '';
  return /^\d{1,15}$/.test(sent) ? Number(sent) : undefined;
}

interface StreamOptions {
  readonly live: LiveClicks;
  readonly organizationId: number;
  readonly since: number | undefined;
  readonly endSignals: readonly AbortSignal[];
  readonly reauthorize: () => Promise<unknown>;
  readonly read: (after: number, upTo: number) => ReturnType<typeof clicksAfter>;
}

async function* events({ live, organizationId, since, endSignals, reauthorize, read }: StreamOptions) {
  // Other streams may have begun since this request was accepted.
  if (!live.hasRoomFor(organizationId)) return;
  const displaced = new AbortController();
  const end = AbortSignal.any([...endSignals, live.closing, displaced.signal]);
  // Resolved when there is a reason to go on, even if that comes before the wait.
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  end.addEventListener('abort', wake);
  const unwatch = await live.watch({ organizationId, wake, end: () => displaced.abort() });
  try {
    let position = since === undefined ? await live.end() : await live.positionAfter(since);
    let heartbeatAt = performance.now();
    yield stateText('Linnet', position);
    while (!end.aborted) {
      if (performance.now() - heartbeatAt >= live.heartbeat) {
        if (!(await isStillAuthorized(reauthorize))) return;
        heartbeatAt = performance.now();
        yield stateText('still here', position);
      }
      const upTo = Math.min(live.settled, position + maxSearched);
      const { clicks, searchedTo } = position < upTo ? await read(position, upTo) : noClicks;
      position = Math.max(position, searchedTo);
      if (clicks.length > 0) yield clicks.map(eventText).join('');
      else if (position >= live.settled) {
        await waitAtMost(heartbeatAt + live.heartbeat - performance.now(), woken.promise);
        woken = Promise.withResolvers();
      }
    }
  } finally {
    unwatch();
  }
}

const eventText = (click: StoredClick): string =>
  `id: ${click.id}\nevent: click\ndata: ${JSON.stringify(clickAnswer(click))}\n\n`;

/** A client that reconnects continues after this id, even if it has received no hit. */
const stateText = (comment: string, id: number): string => `: ${comment}\nid: ${id}\n\n`;

/** A store that is unavailable doesn't invalidate a credential. */
async function isStillAuthorized(reauthorize: () => Promise<unknown>): Promise<boolean> {
  try {
    await reauthorize();
    return true;
  } catch (cause) {
    return !(cause instanceof Refusal);
  }
}
