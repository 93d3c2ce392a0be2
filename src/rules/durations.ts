/** In milliseconds. */
export const secondLength = 1_000;
export const minuteLength = 60 * secondLength;
export const hourLength = 60 * minuteLength;
export const dayLength = 24 * hourLength;
