/** What an attacker knows about the visitors they are looking for. */
export interface SoughtVisitors {
  readonly organizationId: number;
  readonly userAgent: string;
  /** Every address that one of them may have had. The first is that of the attacker, who visited, too. */
  readonly addresses: readonly string[];
  /** The visitor ids that the database contained during the day. */
  readonly visitors: ReadonlySet<number>;
}

const saltLength = 32;
/** 32 random bytes have about thirty distinct values; the chance of fewer than this is one in many billions. */
const minDistinct = 22;

/** The addresses found with any salt that these bytes may contain: raw, in hex or in base64. */
export function addressesFound(files: Iterable<Buffer>, sought: SoughtVisitors): string[] {
  const found = new Set<string>();
  for (const bytes of files) {
    for (const salt of candidatesIn(bytes)) {
      const [own = ''] = sought.addresses;
      if (!sought.visitors.has(visitorOf(salt, sought, own))) continue;
      for (const address of sought.addresses)
        if (sought.visitors.has(visitorOf(salt, sought, address))) found.add(address);
    }
  }
  return [...found];
}

/** Reimplemented, so that the test doesn't rely on the code under test. */
function visitorOf(salt: Uint8Array, { organizationId, userAgent }: SoughtVisitors, address: string): number {
  const hasher = new Bun.CryptoHasher('sha256', salt);
  const digest = hasher.update(`${organizationId}\n${address}\n${userAgent}`).digest('hex');
  return Number.parseInt(digest.slice(0, 5), 16) * 2 ** 32 + Number.parseInt(digest.slice(8, 16), 16);
}

function* candidatesIn(bytes: Buffer): Generator<Uint8Array> {
  const counts = new Int32Array(256);
  let distinct = 0;
  for (let end = 0; end < bytes.length; end++) {
    const next = bytes[end] ?? 0;
    counts[next] = (counts[next] ?? 0) + 1;
    if (counts[next] === 1) distinct += 1;
    if (end >= saltLength) {
      const oldest = bytes[end - saltLength] ?? 0;
      counts[oldest] = (counts[oldest] ?? 0) - 1;
      if (counts[oldest] === 0) distinct -= 1;
    }
    if (end >= saltLength - 1 && distinct >= minDistinct) yield bytes.subarray(end - saltLength + 1, end + 1);
  }
  const text = bytes.toString('latin1');
  for (const [run] of text.matchAll(/[0-9a-fA-F]{64,}/g))
    for (let at = 0; at + 64 <= run.length; at++) yield Buffer.from(run.slice(at, at + 64), 'hex');
  for (const [run] of text.matchAll(/[\w+/-]{43,}/g))
    for (let at = 0; at + 43 <= run.length; at++) yield Buffer.from(run.slice(at, at + 43), 'base64');
}
