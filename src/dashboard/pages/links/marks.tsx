import type { Link } from '../../api-types.ts';
import { Icon, type IconName } from '../../parts/icons.tsx';
import { hasExpired, instant } from '../../words.ts';

interface Mark {
  readonly icon: IconName;
  readonly word: string;
  readonly why: string;
  readonly isWarning?: boolean;
}

function marksOf({ has_password, expiration_date, captcha, bot_protection }: Link): readonly Mark[] {
  const marks: readonly (Mark | false)[] = [
    hasExpired(expiration_date) && {
      icon: 'clock',
      word: 'Expired',
      why: `It led to its destination until ${instant(expiration_date)}.`,
      isWarning: true,
    },
    has_password && { icon: 'lock', word: 'Password', why: 'Visitors are asked for a password.' },
    captcha && { icon: 'person', word: 'Captcha', why: 'Visitors show that they are people.' },
    bot_protection && { icon: 'shield', word: 'Bot protection', why: 'Known bots are not led on.' },
  ];
  return marks.filter((mark) => mark !== false);
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
