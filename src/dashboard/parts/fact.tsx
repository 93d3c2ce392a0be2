import type { ComponentChildren } from 'preact';

/** One name and its value in a `dl`. */
export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
