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

const interrupt = '\u0003';
/** Some terminals send the other one. */
const backspaces = ['\u007f', '\b'];

async function readLine(input: NodeJS.ReadStream): Promise<string> {
  // Without the byte order mark that Windows puts before the text of a file: nobody could type it.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = '';
  for await (const part of input as AsyncIterable<Uint8Array>) {
    for (const character of decoded(decoder, part)) {
      if (character === '\n' || character === '\r') return line;
      if (character === interrupt)
        throw new Refusal('FIELD_MISSING', 'No password was given. Run the command again and type one.');
      // A character may take two places.
      line = backspaces.includes(character) ? [...line].slice(0, -1).join('') : line + character;
    }
  }
  // Refuses a last character that is cut off.
  return line + decoded(decoder);
}

/** Other bytes would become characters that nobody has typed. */
function decoded(decoder: TextDecoder, part?: Uint8Array): string {
  try {
    return decoder.decode(part, { stream: part !== undefined });
  } catch {
    throw new Refusal('FIELD_INVALID', 'The password is not in UTF-8. Save its file in UTF-8, or type it.');
  }
}
