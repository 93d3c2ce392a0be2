import type { EmbeddedFile } from './bundled-file.ts';

/** What `npm run build` puts into the single-file program. */
export interface Contents {
  /** The commit that it was built from; empty if unknown. */
  readonly commit: string;
  /** The path of the country file within the program. */
  readonly countryFile: string;
  readonly bundles: { readonly [name in BundleName]: readonly EmbeddedFile[] };
}

export type BundleName = 'dashboard' | 'captcha';

/** Null in a checkout and in the npm package, where all files are beside the sources. The build replaces this module. */
export const contents = null as Contents | null;
