import { loadConfig } from '../config/load.ts';
import { nodesOfInstance } from '../manage/instance.ts';
import { Refusal } from '../rules/errors.ts';
import { goneAfter, hasStrandedClicks, type NodeStatus, nodesOf } from '../rules/node-status.ts';
import type { Database } from '../storage/database.ts';
import { forgetEarlier, listNodes } from '../storage/nodes.ts';
import { openStore } from '../store.ts';
import { Log } from '../telemetry/log.ts';
import type { StandaloneCall, StandaloneCommand } from './command.ts';
import { requireStore } from './require-store.ts';

export const nodes: StandaloneCommand = {
  name: 'nodes',
  usage:
    'nodes [--json]   (version, last seen, clicks that wait; exits with 1 if some wait on a node that is gone), nodes forget NODE',
  options: { json: { type: 'boolean' } },
  async run(call) {
    const config = loadConfig(call.environment);
    await requireStore(config);
    await using store = await openStore(config, new Log('error'));
    return await runOn(store.database, call);
  },
};

async function runOn(database: Database, { words, values }: StandaloneCall): Promise<number> {
  const [verb, node, more] = words;
  if (verb === undefined) return list(database, values.json === true);
  if (verb !== 'forget' || node === undefined || more !== undefined)
    throw new Refusal('FIELD_INVALID', 'Type nodes, nodes --json, or nodes forget NODE.');
  await forget(database, node);
  return 0;
}

async function list(database: Database, isJson: boolean): Promise<number> {
  const all = await nodesOfInstance({ database, now: Date.now });
  process.stdout.write(isJson ? `${JSON.stringify({ nodes: all }, null, 2)}\n` : listed(all, Date.now()));
  return all.some(hasStrandedClicks) ? 1 : 0;
}

/** A running node would report itself again. */
async function forget(database: Database, id: string): Promise<void> {
  const found = nodesOf(await listNodes(database.read), Date.now()).find((node) => node.id === id);
  if (found === undefined) throw new Refusal('NOT_FOUND', `There is no node ${id}. \`nodes\` lists them.`);
  if (!found.isGone)
    throw new Refusal('FIELD_INVALID', `The node ${id} is there. Stop it, and wait for a minute.`);
  await database.write((queries) => forgetEarlier(queries, id, Date.now() - goneAfter));
  process.stdout.write(`${id} is not listed any more.\n`);
}

function listed(all: readonly NodeStatus[], now: number): string {
  if (all.length === 0)
    return 'No node has reported itself yet: none is running, or only nodes of an earlier version.\n';
  const blocks = all.map((node) => {
    const { id, hostName, versions, processes, seenAt, isGone } = node;
    const workers = processes === 1 ? '' : `, ${processes} processes`;
    const seen = `${isGone ? 'GONE, ' : ''}seen ${ago(now - seenAt)}`;
    return `${id}  ${hostName}  version ${versions.join(' and ')}${workers}  ${seen}\n    ${backlogOf(node, now)}\n`;
  });
  const stranded = all.filter(hasStrandedClicks);
  const todo = stranded.map(
    ({ id, hostName }) =>
      `Clicks wait on ${hostName}, which is gone. Start it again; or mount its data folder here, run \`fold DIR\`, then \`nodes forget ${id}\`.\n`,
  );
  return blocks.join('') + (todo.length > 0 ? `\n${todo.join('')}` : '');
}

function backlogOf({ waitingClicks, waitingSince, waitingBytes, isGone }: NodeStatus, now: number): string {
  if (waitingClicks === 0 && waitingBytes === 0)
    return isGone
      ? 'All of its clicks were in the database when it was last seen. Later ones wait in its data folder: start it again, or run `fold DIR`, before that is deleted.'
      : 'All of its clicks are in the database.';
  const clicks = `${isGone ? 'At least ' : ''}${waitingClicks.toLocaleString('en-US')} clicks`;
  const since = waitingSince === null ? '' : `, the oldest since ${seconds(now - waitingSince)}`;
  return `${clicks} wait (${(waitingBytes / 1e6).toFixed(1)} MB in its journals)${since}.`;
}

const ago = (milliseconds: number): string =>
  milliseconds < 15_000 ? 'just now' : `${seconds(milliseconds)} ago`;

function seconds(milliseconds: number): string {
  const whole = Math.max(0, Math.round(milliseconds / 1_000));
  if (whole < 120) return `${whole} s`;
  return whole < 7_200 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3_600)} h`;
}
