/** Paths on a grid of 20, drawn with a line of 1.6. */
const shapes = {
  link: 'M8.5 11.5a3.5 3.5 0 0 0 5 0l2.5-2.5a3.5 3.5 0 0 0-5-5l-1.2 1.2M11.5 8.5a3.5 3.5 0 0 0-5 0L4 11a3.5 3.5 0 0 0 5 5l1.2-1.2',
  chart: 'M3 17h14M5.5 14v-4M10 14V5M14.5 14V8',
  tag: 'M3.5 9.8V4.5a1 1 0 0 1 1-1h5.3a1 1 0 0 1 .7.3l5.7 5.7a1 1 0 0 1 0 1.4l-5.3 5.3a1 1 0 0 1-1.4 0L3.8 10.5a1 1 0 0 1-.3-.7zM7 7h.010',
  globe:
    'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM3 10h14M10 3c2 2 2.8 4.5 2.8 7S12 15 10 17c-2-2-2.8-4.5-2.8-7S8 5 10 3z',
  people:
    'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 16.5c.4-3 2.3-4.5 5-4.5s4.6 1.5 5 4.5M13 4a2.8 2.8 0 0 1 0 5.2M14.5 12.2c1.7.5 2.7 1.9 3 4.3',
  person: 'M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4zM4 17c.5-3.2 2.7-5 6-5s5.5 1.8 6 5',
  plus: 'M10 4v12M4 10h12',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  copy: 'M7.5 7.5h8v8h-8zM4.5 12.5v-8h8',
  check: 'M4.5 10.5l3.5 3.5 7.5-8',
  trash: 'M4 5.5h12M8 5.5v-2h4v2M5.5 5.5l.7 11h7.6l.7-11M8.5 9v4.5M11.5 9v4.5',
  edit: 'M4 16l.7-3.3L13 4.4a1.4 1.4 0 0 1 2 0l.6.6a1.4 1.4 0 0 1 0 2L7.3 15.3z',
  qr: 'M3.5 3.5h5v5h-5zM11.5 3.5h5v5h-5zM3.5 11.5h5v5h-5zM11.5 11.5h2v2h-2zM16.5 11.5v2M14.5 16.5h2M11.5 16.5v.010',
  download: 'M10 3.5v9M6.5 9.5l3.5 3.5 3.5-3.5M4 16.5h12',
  open: 'M11.5 4H16v4.5M16 4l-7 7M13 11.5V16H4V7h4.5',
  close: 'M5 5l10 10M15 5L5 15',
  up: 'M5.5 12l4.5-4.5 4.5 4.5',
  grip: 'M7.5 5h.010M12.5 5h.010M7.5 10h.010M12.5 10h.010M7.5 15h.010M12.5 15h.010',
  branch: 'M10 17v-5M10 12c0-3-5-2.5-5-7.5M10 12c0-3 5-2.5 5-7.5M3 6.5l2-2 2 2M13 6.5l2-2 2 2',
  down: 'M5.5 8l4.5 4.5L14.5 8',
  right: 'M8 5.5l4.5 4.5L8 14.5',
  left: 'M12 5.5L7.5 10l4.5 4.5',
  more: 'M4.5 10h.010M10 10h.010M15.5 10h.010',
  warning: 'M10 3.5l7 12.5H3zM10 8.5v3.5M10 14h.010',
  key: 'M7 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10.5 10H17v3M14 10v2',
  refresh: 'M16 10a6 6 0 1 1-1.8-4.3M16.5 3.5V7H13',
  lock: 'M5 9h10v7.5H5zM7 9V6.5a3 3 0 0 1 6 0V9',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.5 2',
  paper: 'M5 3h7l3.5 3.5V17H5zM12 3v3.5h3.5M7.5 10h5M7.5 13h5',
  archive: 'M3.5 4h13v3.5h-13zM5 7.5V16h10V7.5M8.5 10.5h3',
  stop: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM5.1 5.1l9.8 9.8',
  unseen:
    'M2.5 10c2-3.3 4.5-5 7.5-5s5.5 1.7 7.5 5c-2 3.3-4.5 5-7.5 5s-5.5-1.7-7.5-5zM10 12.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4zM4 16.500L16 3.500',
  undo: 'M7 4L3.5 7.5 7 11M4 7.5h7.5a4.5 4.5 0 0 1 0 9H8',
  shield: 'M10 3l6 2.2v4.3c0 3.6-2.4 6.2-6 7.5-3.6-1.3-6-3.9-6-7.5V5.2z',
  live: 'M10 11a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM6.5 13.5a5 5 0 0 1 0-7M13.5 6.5a5 5 0 0 1 0 7M4 16a8.5 8.5 0 0 1 0-12M16 4a8.5 8.5 0 0 1 0 12',
} as const;

export type IconName = keyof typeof shapes;

/** Hidden from screen readers: there is a text beside it, or a label on its button. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' || name === 'grip' ? 2.4 : 1.6}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
