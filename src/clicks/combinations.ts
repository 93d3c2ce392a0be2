/** Small numbers that come together, each combination by one number: its place in the order of first appearance. */
export class Combinations {
  readonly #places = new Map<number, Map<number, number>>();
  readonly #all: (readonly number[])[] = [];

  /** All below 2 to the 26th. */
  placeOf(one: number, two: number, three: number, four = 0): number {
    const first = one * 0x400_0000 + two;
    const second = three * 0x400_0000 + four;
    let places = this.#places.get(first);
    if (places === undefined) {
      places = new Map();
      this.#places.set(first, places);
    }
    const known = places.get(second);
    if (known !== undefined) return known;
    const place = this.#all.push([one, two, three, four]) - 1;
    places.set(second, place);
    return place;
  }

  at(place: number): readonly number[] {
    return this.#all[place] ?? [];
  }
}
