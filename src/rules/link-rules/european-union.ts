/** Members of the European Union (ISO 3166). */
const unionMembers: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' ');

/** EU stands for its members as well as for itself. */
export const withUnionMembers = (countries: readonly string[]): readonly string[] =>
  countries.flatMap((country) => (country === 'EU' ? ['EU', ...unionMembers] : country));
