/** The promise's outcome; that of `late`, which may throw, if the promise hasn't settled after so many milliseconds. */
export async function within<Value, Late>(
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

/** Waits until the promise is resolved, for at most so many milliseconds. A rejection in that time is thrown. */
export const waitAtMost = async (milliseconds: number, promise: Promise<unknown>): Promise<void> => {
  await within(milliseconds, promise, () => {});
};
