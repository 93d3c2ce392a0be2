import { dayLength, hourLength } from './durations.ts';

export const hoursPerDay = 24;

/** Hours since the epoch. */
export const hourOf = (at: number): number => Math.floor(at / hourLength);
/** Days since the epoch, in UTC. */
export const dayOf = (at: number): number => Math.floor(at / dayLength);
/** The day of an hour. */
export const dayOfHour = (hour: number): number => Math.floor(hour / hoursPerDay);
/** Months since January 1970, in UTC. */
export function monthOf(at: number): number {
  const date = new Date(at);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}
/** The instant at which a month begins. */
export const monthBegin = (month: number): number => Date.UTC(1970, month);
