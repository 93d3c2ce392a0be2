import { expect, test } from 'bun:test';
import { classCodes, reasonCodes, reasons } from './click-fields.ts';
import { classBefore, reasonToStore, reclassifiable, shownReason } from './reclassified.ts';

const originalReasons = reasons
  .filter((reason) => reason !== 'reclassified')
  .map((reason) => reasonCodes[reason]);
const classOf = (reason: number): number => classBefore(reasonToStore(reason, -1)) ?? -1;

test('a reclassified hit shows that a person changed it, and its original class', () => {
  for (const reason of originalReasons) {
    for (const name of reclassifiable) {
      const stored = reasonToStore(reason, classCodes[name]);
      const isOriginal = classOf(reason) === classCodes[name];
      expect([reason, name, shownReason(stored)]).toEqual([
        reason,
        name,
        isOriginal ? reason : reasonCodes.reclassified,
      ]);
      expect(classBefore(stored)).toBe(isOriginal ? null : classOf(reason));
    }
  }
});

test('reverting to the original class restores the reason, whatever class it had in between', () => {
  for (const reason of originalReasons) {
    let stored = reason;
    for (const name of reclassifiable) stored = reasonToStore(stored, classCodes[name]);
    expect(reasonToStore(stored, classOf(reason))).toBe(reason);
  }
});
