import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { Refused } from '../api/refusal';
import { KillHost } from '../kill/KillHost';
import { t } from '../messages/en';
import { hadSession } from '../session/kept';
import { MeContext, meQuery } from '../session/me';
import { isBeforeSignIn } from '../session/returnPath';
import { listen } from '../session/session';
import { Loading, Skeleton } from '../ui/Feedback';
import { Optional } from '../ui/Optional';
import { part } from '../ui/part';
import { RefusalPage } from '../ui/RefusalPage';
import { useCompact } from '../ui/useNarrow';
import styles from './Frame.module.css';
import { LiveProvider } from './Live';
import { Notices } from './Notices';
import { queryClient } from './queryClient';
import { Sidebar } from './Sidebar';
import { TopBar } from './TopBar';
import { toLogin } from './toLogin';
import { useFrameCommands } from './useFrameCommands';
import { useKeyboard } from './useKeyboard';

const Palette = part(() => import('../palette/Palette'));
const Shortcuts = part(() => import('./Shortcuts'));
const SignInAgain = part(() => import('./SignInAgain'));

type Overlay = 'palette' | 'keys' | null;

/** The frame around every page after sign-in. */
export function Frame() {
  const router = useRouter();

  const [isOver, setOver] = useState(false);
  /** Everything below starts anew with the next user. */
  const [round, setRound] = useState(0);

  useEffect(() => {
    listen({
      ended: isDeliberate => {
        if (isBeforeSignIn(router.state.location.pathname)) queryClient.clear();
        else if (isDeliberate) toLogin(router, 'signedOut');
        else if (queryClient.getQueryData(meQuery.queryKey) !== undefined) setOver(true);
        else toLogin(router, hadSession() ? 'ended' : 'none');
      },
      switched: () => {
        queryClient.clear();
        flushSync(() => {
          setOver(false);
          setRound(before => before + 1);
        });
        if (!isBeforeSignIn(router.state.location.pathname)) router.history.push('/');
      },
      resumed: () => {
        setOver(false);
        void queryClient.invalidateQueries();
      },
    });
  }, [router]);

  return (
    <QueryClientProvider client={queryClient}>
      <SignedIn key={round} isOver={isOver} />
    </QueryClientProvider>
  );
}

function SignedIn({ isOver }: { isOver: boolean }) {
  const me = useQuery(meQuery);
  if (me.data !== undefined) {
    return (
      <MeContext value={me.data}>
        <LiveProvider>
          <Body isOver={isOver} />
        </LiveProvider>
      </MeContext>
    );
  }
  if (me.error instanceof Refused && me.error.refusal.kind !== 'unauthenticated') {
    return (
      <main className={styles.main}>
        <RefusalPage refusal={me.error.refusal} />
      </main>
    );
  }
  return <Waiting />;
}

function Body({ isOver }: { isOver: boolean }) {
  const router = useRouter();
  const [overlay, setOverlay] = useState<Overlay>(null);
  const openPalette = useCallback(() => setOverlay('palette'), []);
  const openKeys = useCallback(() => setOverlay('keys'), []);
  const close = useCallback(() => setOverlay(null), []);
  const isCompact = useCompact();
  useFrameCommands(openKeys);
  useKeyboard(openPalette);

  return (
    <div className={styles.frame}>
      <a href="#main" className={styles.skip}>
        {t.frame.skip()}
      </a>
      {isCompact ? null : <Sidebar />}
      <div className={styles.body}>
        <TopBar isCompact={isCompact} onSearch={openPalette} onKeys={openKeys} />
        <Notices />
        <main id="main" tabIndex={-1} className={styles.main}>
          <Outlet />
        </main>
      </div>
      <Optional onClose={close}>
        {overlay === 'palette' && !isOver ? <Palette onClose={close} /> : null}
        {overlay === 'keys' ? <Shortcuts onClose={close} /> : null}
      </Optional>
      <KillHost />
      <Optional onClose={() => toLogin(router, 'ended')}>{isOver ? <SignInAgain /> : null}</Optional>
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
