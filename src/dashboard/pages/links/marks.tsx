import type { Link } from '../../api-types.ts';
import { Icon, type IconName } from '../../parts/icons.tsx';
import { instant, instantOf } from '../../words.ts';

interface Mark {
  readonly icon: IconName;
  readonly word: string;
  readonly why: string;
  readonly isWarning?: boolean;
}

function marksOf({ has_password, expiration_date, captcha, bot_protection }: Link): readonly Mark[] {
  const isExpired = expiration_date !== null && instantOf(expiration_date).getTime() <= Date.now();
  return [
    ...(isExpired
      ? [
          {
            icon: 'clock' as const,
            word: 'Expired',
            why: `It led to its destination until ${instant(expiration_date)}.`,
            isWarning: true,
          },
        ]
      : []),
    ...(has_password
      ? [{ icon: 'lock' as const, word: 'Password', why: 'Visitors are asked for a password.' }]
      : []),
    ...(captcha
      ? [{ icon: 'person' as const, word: 'Captcha', why: 'Visitors show that they are people.' }]
      : []),
    ...(bot_protection
      ? [{ icon: 'shield' as const, word: 'Bot protection', why: 'Known bots are not led on.' }]
      : []),
  ];
}

/** What stands between a visitor and the destination. */
export function Marks({ link }: { link: Link }) {
  return (
    <>
      {marksOf(link).map(({ icon, word, why, isWarning }) => (
        <span key={word} class={isWarning ? 'mark warn' : 'mark'} title={why}>
          <Icon name={icon} size={14} />
          {word}
        </span>
      ))}
    </>
  );
}
