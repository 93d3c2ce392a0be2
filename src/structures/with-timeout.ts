/** The promise's outcome; that of `late`, which may throw, if the promise hasn't settled after `milliseconds`. */
export async function withTimeout<Value, Late>(
  milliseconds: number,
  promise: Promise<Value>,
  late: () => Late,
): Promise<Value | Late> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    return await Promise.race([promise, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the promise is resolved, for at most `milliseconds`. A rejection in that time is thrown. */
export const waitAtMost = async (milliseconds: number, promise: Promise<unknown>): Promise<void> => {
  await withTimeout(milliseconds, promise, () => {});
};
