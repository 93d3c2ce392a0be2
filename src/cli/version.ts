import { version } from '../../package.json' with { type: 'json' };
import { contents } from '../bundle/contents.ts';
import { refuseArguments, type StandaloneCommand } from './command.ts';

export const showVersion: StandaloneCommand = {
  name: 'version',
  usage: 'version',
  options: {},
  async run(call) {
    refuseArguments(call);
    const commit = contents?.commit ?? '';
    process.stdout.write(`Linnet ${version}${commit === '' ? '' : ` (${commit})`}\n`);
    return 0;
  },
};
