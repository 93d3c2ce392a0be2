import { version } from '../../package.json' with { type: 'json' };
import { contents } from '../bundle/contents.ts';
import type { StandaloneCommand } from './command.ts';

export const showVersion: StandaloneCommand = {
  name: 'version',
  usage: 'version',
  options: {},
  async run() {
    const commit = contents?.commit ?? '';
    process.stdout.write(`Linnet ${version}${commit === '' ? '' : ` (${commit})`}\n`);
    return 0;
  },
};
