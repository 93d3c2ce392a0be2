import { resolve } from 'node:path';
import { moduleUrl } from '../bundle/module-urls.ts';
import type { Config } from '../config/options.ts';
import { realDisk } from '../journal/disk.ts';
import type { Retention } from '../journal/folded-segments.ts';
import { ClickRecorder } from '../ledger/click-recorder.ts';
import type { FoldSettings } from '../ledger/fold/fold-messages.ts';
import { CountryFileError, openCountryFile } from '../ledger/fold/geo.ts';
import { minuteLength } from '../rules/durations.ts';
import type { Site } from '../rules/site.ts';
import { StartProblem } from '../start-problem.ts';
import { saltDirOf } from './salts.ts';
import type { Start } from './start.ts';

/** The journal of clicks, and the thread that folds it. */
export function openClickRecorder(
  site: Site,
  saltKey: string,
  { config, overrides, log, now, opened }: Start,
  afterTick: (task: () => void) => void,
): ClickRecorder {
  const { journalDisk = realDisk, hits } = overrides;
  const recorder = new ClickRecorder({
    settings: foldSettingsOf(site, saltKey, config, overrides.now === undefined ? 'server' : 'messages'),
    disk: journalDisk,
    now,
    afterTick,
    startThread: hits === 'unfolded' ? null : () => new Worker(moduleUrl('fold-thread'), { smol: true }),
    warn: (event, facts) => log.warn(event, facts),
    fault: (event, cause, facts) => log.error(event, cause, facts),
  });
  opened.defer(() => recorder.stop());
  return recorder;
}

export const foldSettingsOf = (
  site: Site,
  saltKey: string,
  config: Config,
  clock: FoldSettings['clock'],
): Omit<FoldSettings, 'journal'> => ({
  clock,
  dataDir: resolve(config.dataDir),
  saltDir: saltDirOf(config),
  saltKey,
  databaseUrl: config.databaseUrl,
  clickServer: config.clicksUrl,
  origin: site.origin,
  daysKept: config.clickRetentionDays,
  keep: keepOf(config),
  repeatWindow: config.repeatWindow,
  floodLimit: config.floodLimit,
  countryFile: countryFileOf(config),
  webhookAddress: config.webhookAddress,
});

/** A SQLite store only goes back in time if its file is replaced, while no process has it open. */
const keepOf = ({ databaseUrl, journalKeepMinutes, journalKeepMegabytes }: Config): Retention =>
  databaseUrl === null
    ? { milliseconds: 0, bytes: 0 }
    : { milliseconds: journalKeepMinutes * minuteLength, bytes: journalKeepMegabytes * 1_000_000 };

/** Opened once at the start, so that a wrong file is reported then, and not only noticed later, as a map without countries. */
function countryFileOf({ countryFile }: Config): string | null {
  if (countryFile === null) return null;
  const path = resolve(countryFile);
  try {
    openCountryFile(path);
    return path;
  } catch (cause) {
    if (!(cause instanceof CountryFileError)) throw cause;
    throw new StartProblem(
      `COUNTRY_FILE can not be used. ${cause.message} Give the path of an .mmdb file, or leave the setting out.`,
    );
  }
}
