import { AccessLog, type NoteAnswer } from '../http/access-log.ts';
import type { Start } from './start.ts';

/** Null if it is switched off. */
export function accessLogOf({ config, log, opened }: Start): NoteAnswer | null {
  if (config.accessLog === 'off') return null;
  const accessLog = new AccessLog((lines) => log.lines(lines));
  opened.defer(() => accessLog.flush());
  return accessLog.note;
}
