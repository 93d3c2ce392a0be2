import { feature, type Ring } from 'topojson-client';
import topology from 'world-atlas/countries-110m.json';
import { dots, lettersByNumber } from './country-numbers.ts';

export interface Shape {
  /** Null for a shape without a known country. */
  readonly code: string | null;
  readonly path: string;
}

export interface World {
  readonly viewBox: string;
  readonly shapes: readonly Shape[];
  /** Countries without a shape, each as a point. */
  readonly dots: readonly { readonly code: string; readonly x: number; readonly y: number }[];
}

const scale = 180;
const antarctica = '010';

/** The Equal Earth projection (Šavrič, Patterson, Jenny 2018): areas keep their proportions. */
function projected([longitude, latitude]: readonly [number, number]): readonly [number, number] {
  const [a, b, c, d] = [1.340264, -0.081106, 0.000893, 0.003796];
  const root = Math.sqrt(3) / 2;
  const t = Math.asin(root * Math.sin((latitude * Math.PI) / 180));
  const t2 = t * t;
  const t6 = t2 ** 3;
  const x =
    ((longitude * Math.PI) / 180) * (Math.cos(t) / (root * (a + 3 * b * t2 + t6 * (7 * c + 9 * d * t2))));
  const y = t * (a + b * t2 + t6 * (c + d * t2));
  return [Math.round(x * scale * 10) / 10, Math.round(-y * scale * 10) / 10];
}

const pathOf = (rings: readonly Ring[]): string =>
  rings
    .map(
      (ring) =>
        `M${unbroken(ring)
          .map((point) => projected(point).join(' '))
          .join('L')}Z`,
    )
    .join('');

/** Continues land that crosses the date line to the east, instead of at the other edge. */
function unbroken(ring: Ring): Ring {
  let shift = 0;
  let previous = ring[0]?.[0] ?? 0;
  const found = ring.map(([longitude, latitude]): readonly [number, number] => {
    if (longitude - previous > 180) shift -= 360;
    else if (previous - longitude > 180) shift += 360;
    previous = longitude;
    return [longitude + shift, latitude];
  });
  const isWest = found.some(([longitude]) => longitude < -180);
  return isWest ? found.map(([longitude, latitude]) => [longitude + 360, latitude]) : found;
}

export const world: World = {
  viewBox: viewBox(),
  shapes: feature(topology, topology.objects.countries)
    .features.filter(({ id }) => id !== antarctica)
    .map(({ id, geometry }) => ({
      code: lettersByNumber.get(String(id)) ?? null,
      path: pathOf(geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat()),
    })),
  dots: dots.map(([code, longitude, latitude]) => {
    const [x, y] = projected([longitude, latitude]);
    return { code, x, y };
  }),
};

/** From the far north to the end of South America, with a margin. */
function viewBox(): string {
  const [right] = projected([180, 0]);
  const [, top] = projected([0, 84]);
  const [, bottom] = projected([0, -57]);
  return [-right - 4, top - 4, 2 * right + 8, bottom - top + 8].map((value) => value.toFixed(1)).join(' ');
}
