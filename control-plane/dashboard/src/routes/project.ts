/** The addresses of a project. */
import { createRoute } from '@tanstack/react-router';
import { readFlagSearch } from '../pages/flag/urlState';
import { readFlagsSearch } from '../pages/flags/urlState';
import { fetchAhead } from '../ui/part';
import { page } from './page';
import { framed } from './root';
import { isTrue, oneOf, present, type Search, text } from './search';

const flagPage = () => import('../pages/flag/FlagPage');

const flags = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/flags',
  validateSearch: readFlagsSearch,
  component: page(async () => {
    const loaded = await import('../pages/flags/FlagsPage');
    // A flag is what is opened next: it works then without the service having its files still.
    fetchAhead(flagPage);
    return loaded;
  }, 'FlagsPage'),
});

const flag = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/flags/$key',
  validateSearch: readFlagSearch,
  component: page(flagPage, 'FlagPage'),
});

const segments = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/segments',
  validateSearch: (search: Search) => present({ q: text(search.q) }),
  component: page(() => import('../pages/segments/SegmentsPage'), 'SegmentsPage'),
});

const segment = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/segments/$key',
  component: page(() => import('../pages/segments/SegmentPage'), 'SegmentPage'),
});

const environments = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/environments',
  validateSearch: (search: Search) => present({ sampling: text(search.sampling) }),
  component: page(() => import('../pages/environments/EnvironmentsPage'), 'EnvironmentsPage'),
});

const keys = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/environments/$env/keys',
  validateSearch: (search: Search) => present({ ended: isTrue(search.ended) }),
  component: page(() => import('../pages/keys/KeysPage'), 'KeysPage'),
});

const projectSettings = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/settings',
  component: page(() => import('../pages/project/ProjectSettingsPage'), 'ProjectSettingsPage'),
});

const compare = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/compare',
  validateSearch: (search: Search) => present({ from: text(search.from), to: text(search.to) }),
  component: page(() => import('../pages/compare/ComparePage'), 'ComparePage'),
});

const insights = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/insights',
  validateSearch: (search: Search) =>
    present({
      tab: oneOf(search.tab, ['unknown', 'stale', 'impressions']),
      env: text(search.env),
      flag: text(search.flag),
      range: oneOf(search.range, ['hour', 'day', 'month', 'year']),
      by: oneOf(search.by, ['value', 'variant', 'reason', 'environment', 'flag']),
      reason: oneOf(search.reason, ['not_evaluated', 'one_value', 'fully_on', 'fully_off']),
    }),
  component: page(() => import('../pages/insights/InsightsPage'), 'InsightsPage'),
});

const changeSets = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/change-sets',
  validateSearch: (search: Search) =>
    present({
      status: oneOf(search.status, [
        'draft',
        'pending',
        'approved',
        'scheduled',
        'applied',
        'rejected',
        'failed',
      ]),
    }),
  component: page(() => import('../pages/changeSets/ChangeSetsPage'), 'ChangeSetsPage'),
});

const changeSet = createRoute({
  getParentRoute: () => framed,
  path: '/p/$project/change-sets/$id',
  component: page(() => import('../pages/changeSets/ChangeSetPage'), 'ChangeSetPage'),
});

export const projectRoutes = [
  flags,
  flag,
  segments,
  segment,
  environments,
  keys,
  projectSettings,
  changeSets,
  changeSet,
  compare,
  insights,
] as const;
