import { access, constants, statfs } from 'node:fs/promises';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import { folderTodo } from '../rules/folder-todo.ts';
import type { CheckContext } from './check-context.ts';

const tooLittle = 200e6;
const little = 2e9;

const gigabytes = (bytes: number): string =>
  bytes < 1e9 ? `${Math.floor(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

export async function diskFindings({ dataDir }: Pick<CheckContext, 'dataDir'>): Promise<Finding> {
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      return problem(
        `There is no data folder ${dataDir}.`,
        'Set DATA_DIR to the data folder of the server. If it has never been started, its first start makes the folder.',
      );
    return problem(
      `The data folder ${dataDir} can not be written (${message}).`,
      folderTodo(code, 'DATA_DIR'),
    );
  }
  const { bavail, bsize } = await statfs(dataDir);
  return roomFinding(dataDir, bavail * bsize);
}

export function roomFinding(dataDir: string, free: number): Finding {
  const found = `The disk of ${dataDir} has ${gigabytes(free)} free.`;
  if (free < tooLittle)
    return problem(found, 'Make room now: without it clicks are lost, and nothing can be changed.');
  if (free < little) return notice(found, 'Make room: an upgrade, or a backlog of clicks, may need more.');
  return ok(found);
}
