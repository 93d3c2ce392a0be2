/** The values of all cookies of this name, in their order: one path or host may have several. */
export const cookiesNamed = (name: string, cookies: string): string[] =>
  cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .map((cookie) => cookie.slice(name.length + 1));
