import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Refused } from '../api/refusal';
import { KillHost } from '../kill/KillHost';
import { t } from '../messages/en';
import { MeContext, meQuery } from '../session/me';
import { isBeforeSignIn } from '../session/returnPath';
import { listen } from '../session/session';
import { Loading, Skeleton } from '../ui/Feedback';
import { RefusalPage } from '../ui/RefusalPage';
import { prepareToSay } from '../ui/say';
import styles from './Frame.module.css';
import { LiveProvider } from './Live';
import { Notices } from './Notices';
import { queryClient } from './queryClient';
import { Sidebar } from './Sidebar';
import { TopBar } from './TopBar';
import { useFrameCommands } from './useFrameCommands';
import { useKeyboard } from './useKeyboard';

/** By then the page works. */
const QUIET_AFTER_MS = 2000;

const Palette = lazy(() => import('../palette/Palette'));
const Shortcuts = lazy(() => import('./Shortcuts'));

type Overlay = 'palette' | 'keys' | null;

/** The frame around every page after sign-in. */
export function Frame() {
  const router = useRouter();

  useEffect(() => {
    listen({
      ended: () => {
        queryClient.clear();
        const { pathname, searchStr, hash } = router.state.location;
        // The fragment stays one: it may carry a context, which no server is to see.
        if (!isBeforeSignIn(pathname)) {
          void router.navigate({ to: '/login', search: { next: pathname + searchStr }, hash });
        }
      },
      switched: () => {
        queryClient.clear();
        if (!isBeforeSignIn(router.state.location.pathname)) router.history.push('/');
      },
    });
  }, [router]);

  return (
    <QueryClientProvider client={queryClient}>
      <SignedIn />
    </QueryClientProvider>
  );
}

function SignedIn() {
  const me = useQuery(meQuery);
  if (me.data !== undefined) {
    return (
      <MeContext value={me.data}>
        <LiveProvider>
          <Body />
        </LiveProvider>
      </MeContext>
    );
  }
  if (me.error instanceof Refused && me.error.refusal.kind !== 'unauthenticated') {
    return (
      <main className={styles.main}>
        <RefusalPage refusal={me.error.refusal} onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return <Waiting />;
}

function Body() {
  const [overlay, setOverlay] = useState<Overlay>(null);
  const openPalette = useCallback(() => setOverlay('palette'), []);
  const openKeys = useCallback(() => setOverlay('keys'), []);
  const close = useCallback(() => setOverlay(null), []);
  useFrameCommands(openKeys);
  useKeyboard(openPalette);
  useEffect(() => {
    const timer = setTimeout(prepareToSay, QUIET_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  return (
    <div className={styles.frame}>
      <a href="#main" className={styles.skip}>
        {t.frame.skip()}
      </a>
      <Sidebar />
      <div className={styles.body}>
        <TopBar onSearch={openPalette} onKeys={openKeys} />
        <Notices />
        <main id="main" tabIndex={-1} className={styles.main}>
          <Outlet />
        </main>
      </div>
      <Suspense>
        {overlay === 'palette' ? <Palette onClose={close} /> : null}
        {overlay === 'keys' ? <Shortcuts onClose={close} /> : null}
      </Suspense>
      <KillHost />
    </div>
  );
}

function Waiting() {
  return (
    <div className={styles.frame}>
      <div className={styles.side}>
        <Skeleton height="1.75rem" width="7rem" />
        <Skeleton height="2.125rem" />
        <Skeleton height="2rem" />
      </div>
      <main className={styles.main}>
        <Loading>
          <Skeleton height="1.75rem" width="12rem" />
        </Loading>
      </main>
    </div>
  );
}
