import { useState } from 'preact/hooks';

/** The icon of a destination. It has no alternative text, as the text beside it says the same; if it can't load it leaves no gap. */
export function SiteIcon({ src }: { src: string }) {
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return null;
  return (
    <img
      class="site-icon"
      src={src}
      alt=""
      width={16}
      height={16}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(true)}
    />
  );
}
