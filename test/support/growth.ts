const [short, long] = [500, 8_000];

/**
 * How much longer `use` takes per character of a long text than of one of a sixteenth: about 1 if the time is proportional to
 * the length, about 16 if it grows with its square.
 */
export function growth(textOf: (length: number) => string, use: (text: string) => unknown): number {
  const timeOf = (length: number): number => {
    const text = textOf(length);
    const startedAt = performance.now();
    for (let left = 16 * long; left > 0; left -= length) use(text);
    return performance.now() - startedAt;
  };
  const fastest = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
  for (let run = 0; run < 5; run++) {
    fastest.short = Math.min(fastest.short, timeOf(short));
    fastest.long = Math.min(fastest.long, timeOf(long));
  }
  return fastest.long / fastest.short;
}
