import { dismissNotice, notices } from '../notices.ts';
import { Icon } from '../parts/icons.tsx';

export function Notices() {
  return (
    <div class="notices" aria-live="polite">
      {notices.value.map(({ id, text, isError, action }) => (
        <div class="notice" key={id} role={isError ? 'alert' : undefined}>
          {isError && <Icon name="warning" />}
          <span>{text}</span>
          {action && (
            <button
              type="button"
              class="act"
              onClick={() => {
                dismissNotice(id);
                action.act();
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" aria-label="Dismiss" onClick={() => dismissNotice(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
