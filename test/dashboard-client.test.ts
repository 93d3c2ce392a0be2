import { expect, test } from 'bun:test';
import { clientTypes, clientTypesPath } from '../scripts/client-types.ts';

test("the dashboard's client matches the API: `npm run client` was run after the last change", async () => {
  expect(await Bun.file(clientTypesPath).text()).toBe(clientTypes());
});
