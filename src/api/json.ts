/** A value that is already serialised as JSON: parts of an answer may be serialised long before the rest is known. */
export class Json<Value> {
  declare readonly value: Value;
  /** Joined once, at the end: an answer may have megabytes. */
  readonly #parts: readonly string[];

  private constructor(parts: readonly string[]) {
    this.#parts = parts;
  }

  get text(): string {
    return this.#parts.join('');
  }

  static of<Value>(value: Value): Json<Value> {
    return new Json([JSON.stringify(value)]);
  }

  /** From a text that was serialised earlier. */
  static fromText<Value>(text: string): Json<Value> {
    return new Json([text]);
  }

  static list<Value>(items: readonly Json<Value>[]): Json<Value[]> {
    return new Json([
      '[',
      ...items.flatMap((item, index) => (index === 0 ? item.#parts : [',', ...item.#parts])),
      ']',
    ]);
  }

  static object<Value extends object>(
    fields: {
      readonly [Name in keyof Value]: Json<Value[Name]>;
    },
  ): Json<Value> {
    const parts = Object.entries<Json<unknown>>(fields).flatMap(([name, json], index) => [
      `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
      ...json.#parts,
    ]);
    return new Json(['{', ...parts, '}']);
  }
}
