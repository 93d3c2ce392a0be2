/** The part of topojson-client that the map uses; it comes without types. */
declare module 'topojson-client' {
  export interface Topology {
    readonly type: string;
    readonly objects: { readonly countries: unknown };
  }
  export interface Shape {
    readonly id?: string | number;
    readonly geometry:
      | { readonly type: 'Polygon'; readonly coordinates: readonly Ring[] }
      | { readonly type: 'MultiPolygon'; readonly coordinates: readonly (readonly Ring[])[] };
  }
  export type Ring = readonly (readonly [number, number])[];
  export function feature(topology: Topology, object: unknown): { readonly features: readonly Shape[] };
}

declare module 'world-atlas/countries-110m.json' {
  const topology: import('topojson-client').Topology;
  export default topology;
}
