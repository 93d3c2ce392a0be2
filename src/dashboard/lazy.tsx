import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { unreachable } from './api-error.ts';
import { setTo } from './handlers.ts';
import { ErrorBox } from './parts/error-box.tsx';
import { Skeleton } from './parts/page.tsx';

/** A page whose script is loaded when it is first shown. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const state = useSignal<'loading' | 'ready' | 'failed'>(loaded ? 'ready' : 'loading');
    useEffect(() => {
      if (loaded) return;
      load().then(
        (page) => {
          loaded = page;
          state.value = 'ready';
        },
        setTo(state, 'failed'),
      );
    }, []);
    if (state.value === 'failed') return <ErrorBox error={unreachable()} onRetry={() => location.reload()} />;
    const Page = loaded;
    return state.value === 'ready' && Page ? <Page {...props} /> : <Skeleton height={240} />;
  };
}
