type Value = string | number | readonly Value[] | { readonly [key: string]: Value };

function encoded(value: Value): number[] {
  if (typeof value === 'string') return [(2 << 5) | Buffer.byteLength(value), ...Buffer.from(value)];
  if (typeof value === 'number') return [(6 << 5) | 2, value >> 8, value & 255];
  if (Array.isArray(value)) return [value.length, 4, ...value.flatMap((each: Value) => encoded(each))];
  const entries = Object.entries(value);
  return [
    (7 << 5) | entries.length,
    ...entries.flatMap(([key, each]) => [...encoded(key), ...encoded(each)]),
  ];
}

/** A complete .mmdb for IPv4 with one node: one record for addresses below 128.0.0.0, another for the rest. */
export function twoNetworkFile(lower: Value, upper: Value): Uint8Array {
  const data = encoded(lower);
  const pointer = (offset: number) => [0, (17 + offset) >> 8, (17 + offset) & 255];
  return Buffer.concat([
    Buffer.from([...pointer(0), ...pointer(data.length)]),
    Buffer.alloc(16),
    Buffer.from([...data, ...encoded(upper)]),
    Buffer.from('abcdef4d61784d696e642e636f6d', 'hex'),
    Buffer.from(encoded({ node_count: 1, record_size: 24, ip_version: 4, build_epoch: 1 })),
  ]);
}

/** A record of a city file. */
export const munich = {
  country: { iso_code: 'DE' },
  subdivisions: [{ iso_code: 'BY' }],
  city: { names: { en: 'Munich' } },
};
