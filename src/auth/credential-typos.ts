import { isWellFormed, keyLength, looksLikeApiKey } from './api-keys.ts';

const copyAgain = 'Copy it anew, or make another one in the dashboard under "Account".';

const placeholder =
  /your|api.?key|token|<|>|\{|\}|\$|\.\.|…|x{4}|\*{3}|^(?:null|undefined|none|key|secret|test)$/i;

/**
 * What is obviously wrong with a credential, as a sentence; null for one that has to be looked up. The sentence never contains
 * the credential: errors end up in logs.
 */
export function credentialTypo(credential: string): string | null {
  if (/^["'`“„«]|["'`”»]$/.test(credential))
    return 'The credential has quotes around it. Send it without them.';
  if (/^bearer\b/i.test(credential))
    return 'The header "api-key" holds the key alone. "Bearer" belongs in the header "Authorization".';
  if (/\s/.test(credential)) return `The credential has a space or a line break in it. ${copyAgain}`;
  if (looksLikeApiKey(credential)) return keyTypo(credential);
  if (credential.startsWith('lna_')) return null;
  if (credential.startsWith('lnr_'))
    return 'This is a refresh token. GET /api/v1/auth/refresh_access_token exchanges it for an access token, which other calls take.';
  if (credential.startsWith('lnz_'))
    return 'This is the zapier_key of a link, which only calls under /api/v1/zapier take. Send an API key.';
  if (placeholder.test(credential))
    return 'This looks like a placeholder for a key. Put a key of yours in its place: they begin with "lnt_" and are made in the dashboard under "Account".';
  return 'This is neither an API key nor an access token: keys begin with "lnt_", access tokens with "lna_". Was its beginning cut off?';
}

function keyTypo(key: string): string | null {
  if (isWellFormed(key)) return null;
  if (/[^0-9A-Za-z]/.test(key.slice('lnt_'.length)))
    return `This API key has characters in it that no key has: after "lnt_" come letters and digits alone. ${copyAgain}`;
  if (key.length < keyLength)
    return `This API key was cut: it has ${key.length} of ${keyLength} characters. ${copyAgain}`;
  if (key.length > keyLength)
    return `This API key is too long: it has ${key.length} characters instead of ${keyLength}. ${copyAgain}`;
  return `This API key was mistyped: its check characters at the end don't fit. ${copyAgain}`;
}

/** If no credential was found: what was sent instead. */
export function missingCredential(headers: Headers, search: URLSearchParams): string {
  const expectedHeader = 'send the header "api-key: <key>" or "Authorization: Bearer <token>".';
  const authorization = headers.get('authorization');
  if (authorization !== null) {
    if (/^bearer\s*$/i.test(authorization))
      return `There is nothing after "Bearer" in the header "Authorization". Is the variable empty that the key should come from?`;
    if (/^bearer\s/i.test(authorization))
      return `The credential after "Bearer" has a space in it. ${copyAgain}`;
    if (/^basic /i.test(authorization)) return `Basic authentication is not taken here: ${expectedHeader}`;
    return 'The header "Authorization" has to begin with "Bearer ": send "Authorization: Bearer <key>".';
  }
  if (headers.has('api-key'))
    return 'The header "api-key" is empty. Is the variable empty that the key should come from?';
  const other = ['x-api-key', 'apikey', 'api_key', 'x-auth-token', 'x-access-token', 'token'].find((name) =>
    headers.has(name),
  );
  if (other !== undefined) return `The header "${other}" is not read here: ${expectedHeader}`;
  const inQuery = [...search.keys()].find((name) =>
    /^(?:api[-_]?key|access[-_]?token|token|key|signature)$/i.test(name),
  );
  if (inQuery !== undefined)
    return `A credential is not taken from the address ("${inQuery}"): ${expectedHeader}`;
  return `This call needs a credential: ${expectedHeader}`;
}
