import { refusalOfIssues } from '../api/errors.ts';
import { UserToCreate } from '../api/schemas/user.ts';
import { registerUser } from '../manage/register-user.ts';
import { Refusal } from '../rules/errors.ts';
import { type Command, required } from './command.ts';

export const createUser: Command = {
  name: 'user create',
  usage:
    'user create --email ADDRESS [--password PASSWORD] [--name NAME] [--organization NAME]   (asks for a password that is left out)',
  options: {
    email: { type: 'string' },
    password: { type: 'string' },
    name: { type: 'string' },
    organization: { type: 'string' },
  },
  async run(context, values) {
    const wish = {
      email: required(values, 'email'),
      password: values.password ?? (await askForPassword()),
      name: values.name,
      organization_name: values.organization,
    };
    const parsed = UserToCreate.safeParse(wish);
    if (!parsed.success) throw refusalOfIssues(parsed.error.issues, wish);
    const user = await registerUser(context, parsed.data, 'shell');
    return `Made the account of ${user.email}, who administers "${user.organization_name}".\n`;
  },
};

/** From a pipe, or from the keyboard without showing it; so that it needn't stand in the shell's history. */
async function askForPassword(): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) {
    stderr.write('Password: ');
    stdin.setRawMode(true);
  }
  try {
    return await readLine(stdin);
  } finally {
    if (stdin.isTTY) {
      stdin.setRawMode(false);
      stderr.write('\n');
    }
    stdin.pause();
  }
}

const [interrupt, backspace] = ['\u0003', '\u007f'];

async function readLine(input: NodeJS.ReadStream): Promise<string> {
  let line = '';
  for await (const part of input.setEncoding('utf8') as AsyncIterable<string>) {
    for (const sign of part) {
      if (sign === '\n' || sign === '\r') return line;
      if (sign === interrupt) throw new Refusal('FIELD_MISSING', 'No password was given.');
      line = sign === backspace ? line.slice(0, -1) : line + sign;
    }
  }
  return line;
}
