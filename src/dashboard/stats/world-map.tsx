import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { counted } from '../format.ts';
import { setTo } from '../handlers.ts';
import type { BarValue } from './bars.tsx';
import { countryName } from './value-names.ts';
import { toggleFilter } from './view.ts';
import type { World } from './world.ts';

interface Hovered {
  readonly code: string;
  readonly x: number;
  readonly y: number;
}

/** Darker countries have more clicks. The keyboard and screen readers use the list beside it, which has the same values. */
export function WorldMap({ values, chosen }: { values: readonly BarValue[]; chosen: string | undefined }) {
  const world = useSignal<World | null>(null);
  const hovered = useSignal<Hovered | null>(null);
  useEffect(() => {
    // If this fails, the list beside the map still has the values.
    import('./world.ts').then(
      (loaded) => {
        world.value = loaded.world;
      },
      () => {},
    );
  }, []);
  const hits = new Map(values.map((one) => [one.value, one.hits]));
  const largest = Math.max(1, ...hits.values());
  const shapeProps = (code: string | null) => ({
    class: ['land', code && hits.has(code) && 'has', code && code === chosen && 'chosen']
      .filter(Boolean)
      .join(' '),
    // By the square root, so that small shares are visible beside the largest.
    style: code && hits.has(code) ? { '--share': String(Math.sqrt((hits.get(code) ?? 0) / largest)) } : {},
    'data-code': code && hits.has(code) ? code : undefined,
  });
  const codeAt = (target: EventTarget | null): string | null =>
    target instanceof SVGElement ? (target.dataset.code ?? null) : null;
  const onPointerMove = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }) => {
    const code = codeAt(event.target);
    const frame = event.currentTarget.getBoundingClientRect();
    hovered.value = code ? { code, x: event.clientX - frame.left, y: event.clientY - frame.top } : null;
  };
  const shown = world.value;
  return (
    <div class="map" aria-hidden="true">
      {shown && (
        <svg
          aria-hidden="true"
          viewBox={shown.viewBox}
          onPointerMove={onPointerMove}
          onPointerLeave={setTo(hovered, null)}
          onClick={(event) => {
            const code = codeAt(event.target);
            if (code) toggleFilter('country', code);
          }}
        >
          {shown.shapes.map(({ code, path }) => (
            <path key={path} d={path} {...shapeProps(code)} />
          ))}
          {shown.dots.map(
            ({ code, x, y }) =>
              hits.has(code) && <circle key={code} cx={x} cy={y} r={3.5} {...shapeProps(code)} />,
          )}
        </svg>
      )}
      {hovered.value && (
        <p class="chart-tip map-tip" style={{ left: `${hovered.value.x}px`, top: `${hovered.value.y}px` }}>
          <span class="strong">{countryName(hovered.value.code)}</span>{' '}
          {counted(hits.get(hovered.value.code) ?? 0, 'click')}
        </p>
      )}
    </div>
  );
}
