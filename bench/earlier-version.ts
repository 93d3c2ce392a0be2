import { resolve } from 'node:path';

const option = '--before=';
const given = process.argv.find((word) => word.startsWith(option))?.slice(option.length);

/** The folder of an earlier version to compare with, which has its node_modules: `--before=PATH`. */
export const earlierVersion: string | null = given === undefined ? null : resolve(given);
