/** The root of all addresses, and the frame around those after sign-in. */
import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Boundary } from '../ui/Boundary';
import { part } from '../ui/part';
import { useSaid } from '../ui/say';
import { BrokenStart, NotFoundPage } from './broken';
import { page } from './page';

const Toasts = part(() => import('../ui/Toast'));

function Root() {
  const isSaid = useSaid();
  return (
    <>
      <Outlet />
      <Boundary instead={() => null}>
        <Suspense>{isSaid ? <Toasts /> : null}</Suspense>
      </Boundary>
    </>
  );
}

export const root = createRootRoute({
  component: Root,
  errorComponent: BrokenStart,
  notFoundComponent: NotFoundPage,
});

export const framed = createRoute({
  getParentRoute: () => root,
  id: 'framed',
  component: page(() => import('../frame/Frame'), 'Frame'),
});
