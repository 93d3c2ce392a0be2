import { createSocket } from 'node:dgram';
import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import type { Resolver } from '../../src/webhooks/target-guard.ts';

/**
 * The records of a name: addresses of both kinds (only those of the requested type are returned), texts, or a chain of
 * aliases, the last of which has the addresses after it; or how the lookup fails.
 */
export type Records = readonly string[] | Failure;
type Failure = 'no such name' | 'server failure' | 'refused' | 'garbage' | 'silence';
type RecordType = 'A' | 'AAAA' | 'TXT' | 'CNAME';

/** `earlierQueries` is the number of earlier queries for this name and type. */
export type Zone = (name: string, type: RecordType, earlierQueries: number) => Records;

/** Names and their records by type; may be changed while the server runs. A name that is missing here doesn't exist. */
export type Names = Record<string, Partial<Record<RecordType, readonly string[]>> | Failure>;

/** Answers like a recursive resolver: follows an alias as long as it leads to a known name. */
export const zoneOf =
  (names: Names): Zone =>
  (name, type) => {
    const found = names[name];
    if (found === undefined) return 'no such name';
    if (typeof found === 'string') return found;
    const [alias] = found.CNAME ?? [];
    if (alias === undefined || type === 'CNAME' || type === 'TXT') return found[type] ?? [];
    const followed = zoneOf(names)(alias, type, 0);
    return typeof followed === 'string' ? [alias] : [alias, ...followed];
  };

export interface NameServer {
  readonly port: number;
  /** In the format of DNS_SERVERS: address:port. */
  readonly address: string;
  /** Every query, as "A name". */
  readonly queries: string[];
  /** Queries this server for A and AAAA, like a machine that is configured with it. */
  readonly resolver: Resolver;
  stop(): Promise<void>;
}

const types: Readonly<Record<number, RecordType>> = { 1: 'A', 5: 'CNAME', 16: 'TXT', 28: 'AAAA' };
const codes: Readonly<Partial<Record<Failure, number>>> = {
  'server failure': 2,
  'no such name': 3,
  refused: 5,
};

/** A real DNS server on a free UDP port of the loopback; its answers have a TTL of zero. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const questions: string[] = [];
  const queryCounts = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    const key = `${types[type] ?? type} ${name}`;
    questions.push(key);
    const earlierQueries = queryCounts.get(key) ?? 0;
    queryCounts.set(key, earlierQueries + 1);
    const known = types[type];
    const records = known ? zone(name, known, earlierQueries) : [];
    if (records === 'silence') return;
    if (records === 'garbage') return socket.send(query.subarray(0, 7), from.port, from.address);
    socket.send(answerTo(query, end, records, type), from.port, from.address);
  });
  await new Promise<void>((listening) => socket.bind(0, '127.0.0.1', listening));
  const { port } = socket.address();

  const dns = new DnsResolver();
  dns.setServers([`127.0.0.1:${port}`]);
  return {
    port,
    address: `127.0.0.1:${port}`,
    queries: questions,
    resolver: async (name) => {
      const answers = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const failure = answers.find((answer) => answer.status === 'rejected');
      if (found.length === 0 && failure) throw failure.reason;
      return found;
    },
    stop: () => {
      dns.cancel();
      return new Promise((stopped) => socket.close(() => stopped()));
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer, end: number, records: Records, type: number): Buffer {
  const list = typeof records === 'string' ? [] : recordsOf(records, type);
  const code = typeof records === 'string' ? (codes[records] ?? 0) : 0;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(list.length, 6);
  return Buffer.concat([header, query.subarray(12, end), ...list]);
}

/** The queried name, as a compression pointer to the question section. */
const queriedName = Buffer.from([0xc0, 0x0c]);

function recordsOf(values: readonly string[], type: number): Buffer[] {
  if (types[type] === 'TXT') return values.map((text) => record(queriedName, 16, piecesOf(text)));
  const aliases = values.filter((value) => !isIPv4(value) && !isIPv6(value)).map(nameBytes);
  const owner = (index: number) => aliases[index - 1] ?? queriedName;
  const chain = aliases.map((alias, index) => record(owner(index), 5, alias));
  const addresses = values.filter(
    types[type] === 'A' ? isIPv4 : types[type] === 'AAAA' ? isIPv6 : () => false,
  );
  return [...chain, ...addresses.map((address) => record(owner(aliases.length), type, bytesOf(address)))];
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

const lengthAndBytes = (bytes: Buffer) => Buffer.concat([Buffer.from([bytes.length]), bytes]);

const nameBytes = (name: string): Buffer =>
  Buffer.concat([...name.split('.').map((label) => lengthAndBytes(Buffer.from(label))), Buffer.from([0])]);

/** A TXT record consists of strings of at most 255 bytes. */
function piecesOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += 255)
    pieces.push(lengthAndBytes(bytes.subarray(start, start + 255)));
  return Buffer.concat(pieces.length > 0 ? pieces : [Buffer.from([0])]);
}

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [left, right] = [words(head), words(tail)];
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 255]));
}
