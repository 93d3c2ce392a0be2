/** A value that is made when it is first asked for, and kept. */
export function lazy<T extends {}>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
