/** The addresses of the pages. `paths.json` lists them for the service, and a test compares the two. */
import { createRouter } from '@tanstack/react-router';
import { BrokenPage, NotFoundPage } from './broken';
import { organizationRoutes } from './organization';
import { projectRoutes } from './project';
import { framed, root } from './root';
import { parseSearch, stringifySearch } from './search';
import { settingsRoutes } from './settings';
import { signInRoutes } from './signIn';

export const router = createRouter({
  routeTree: root.addChildren([
    ...signInRoutes,
    framed.addChildren([...projectRoutes, ...organizationRoutes, ...settingsRoutes]),
  ]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NotFoundPage,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
