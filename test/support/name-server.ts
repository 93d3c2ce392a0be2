import { createSocket } from 'node:dgram';
import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import type { Resolver } from '../../src/webhooks/target-guard.ts';

/** What a name has: addresses of both kinds, or how the question fails. */
export type Records = readonly string[] | 'no such name' | 'server failure' | 'silence';

/** `asked` counts how often this name was asked for before, for this type. */
export type Zone = (name: string, type: 'A' | 'AAAA', asked: number) => Records;

export interface NameServer {
  readonly port: number;
  /** Every question, as "A name". */
  readonly questions: string[];
  /** Asks this server for A and AAAA, as a machine does that has it for its name server. */
  readonly resolver: Resolver;
  stop(): Promise<void>;
}

const types: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };

/** A real name server on a free UDP port of the loopback, whose answers live for no time at all. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const questions: string[] = [];
  const asked = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    const key = `${types[type] ?? type} ${name}`;
    questions.push(key);
    const before = asked.get(key) ?? 0;
    asked.set(key, before + 1);
    const known = types[type];
    const records = known ? zone(name, known, before) : [];
    if (records === 'silence') return;
    socket.send(answerTo(query, end, records, type), from.port, from.address);
  });
  await new Promise<void>((listening) => socket.bind(0, '127.0.0.1', listening));
  const { port } = socket.address();

  const dns = new DnsResolver();
  dns.setServers([`127.0.0.1:${port}`]);
  return {
    port,
    questions,
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
  const list = typeof records === 'string' ? [] : records.filter(type === 1 ? isIPv4 : isIPv6);
  const code = records === 'no such name' ? 3 : records === 'server failure' ? 2 : 0;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(list.length, 6);
  return Buffer.concat([header, query.subarray(12, end), ...list.map((address) => record(address, type))]);
}

function record(address: string, type: number): Buffer {
  const data = bytesOf(address);
  const fixed = Buffer.alloc(12);
  fixed.writeUInt16BE(0xc00c, 0);
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt16BE(1, 4);
  fixed.writeUInt16BE(data.length, 10);
  return Buffer.concat([fixed, data]);
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
