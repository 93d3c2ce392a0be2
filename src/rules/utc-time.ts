export const hourLength = 3_600_000;
export const hoursPerDay = 24;
export const dayLength = hoursPerDay * hourLength;

/** Hours since the epoch. */
export const hourOf = (at: number): number => Math.floor(at / hourLength);
/** Days since the epoch, in UTC. */
export const dayOf = (at: number): number => Math.floor(at / dayLength);
