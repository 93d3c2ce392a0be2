/** How a request's schema names fields of answers, which may be sent back and are ignored. */
export const answerFields = (names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      { readOnly: true, description: 'Of the answer; ignored if it is sent back.' },
    ]),
  );
