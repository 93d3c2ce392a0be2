import { Refusal } from '../rules/errors.ts';

/** Reads a password from a pipe, or from the keyboard without echo, so that it needn't appear in the shell's history. */
export async function askForPassword(): Promise<string> {
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
    for (const character of part) {
      if (character === '\n' || character === '\r') return line;
      if (character === interrupt)
        throw new Refusal('FIELD_MISSING', 'No password was given. Run the command again and type one.');
      line = character === backspace ? line.slice(0, -1) : line + character;
    }
  }
  return line;
}
