import { useRef } from 'preact/hooks';
import { asApiError } from './api-error.ts';
import { call, type Input } from './client.ts';
import { signIn } from './session.ts';

type Account = NonNullable<Input<'POST /api/v1/user'>['body']>;

/**
 * Creates an account and signs in to it. An attempt after one whose answer was lost may be refused because the account exists
 * already: then it signs in alone.
 */
export function useSignUp(): (account: Account, beforeSignIn?: () => Promise<void>) => Promise<void> {
  const mayExist = useRef(false);
  return async (account, beforeSignIn) => {
    const signInTo = async () => {
      await beforeSignIn?.();
      await signIn(account.email, account.password);
    };
    try {
      await call('POST /api/v1/user', { body: account });
    } catch (cause) {
      const { isTransient } = asApiError(cause);
      if (isTransient) mayExist.current = true;
      if (isTransient || !mayExist.current) throw cause;
      return signInTo().catch(() => {
        throw cause;
      });
    }
    mayExist.current = true;
    await signInTo();
  };
}
