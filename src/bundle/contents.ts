import type { EmbeddedFile } from './bundled-file.ts';

/** What `npm run build` puts into the one file. */
export interface Contents {
  /** The commit that it was built from; empty where that is unknown. */
  readonly commit: string;
  /** Where the country file is inside it. */
  readonly countryFile: string;
  readonly bundles: { readonly [name in BundleName]: readonly EmbeddedFile[] };
}

export type BundleName = 'dashboard' | 'captcha';

/** Null in a checkout and in the npm package, where everything lies beside the sources. The build replaces this module. */
export const contents = null as Contents | null;
