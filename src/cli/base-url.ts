import * as stored from '../manage/base-url.ts';
import { type Command, required } from './command.ts';

const atNextStart = 'It counts from the next start of Linnet, unless BASE_URL is set: that comes first.';

export const setBaseUrl: Command = {
  name: 'base-url set',
  usage:
    'base-url set --url https://links.example.com   (the public address, used while BASE_URL is not set)',
  options: { url: { type: 'string' } },
  async run({ database }, values) {
    const url = stored.requireBaseUrl(required(values, 'url'), '--url');
    await database.write((queries) => stored.storeBaseUrl(queries, url));
    return `People reach Linnet at ${url}. ${atNextStart}\n`;
  },
};

export const forgetBaseUrl: Command = {
  name: 'base-url forget',
  usage: 'base-url forget   (deletes the address that "base-url set" or the set-up page has stored)',
  options: {},
  async run({ database }) {
    await database.write((queries) => stored.forgetBaseUrl(queries));
    return `No address is set. ${atNextStart}\n`;
  },
};
