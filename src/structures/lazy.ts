/** A value that is computed when it is first needed, and kept. */
export function lazy<T extends {}>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}
