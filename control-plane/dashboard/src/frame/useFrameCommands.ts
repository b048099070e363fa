import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { signOut, themeName } from './AccountMenu';
import { type Command, useCommands } from './commands';
import { THEMES, useTheme } from './preferences';
import { useCurrentProject } from './project';

/** The commands that are there on every page. */
export function useFrameCommands(openKeys: () => void): void {
  const router = useRouter();
  const { projects } = useMe();
  const slug = useCurrentProject()?.slug;
  const [, setTheme] = useTheme();

  const commands = useMemo<Command[]>(() => {
    const pages: Command[] = [
      {
        id: 'onboarding',
        title: t.palette.goTo(t.frame.firstRun()),
        section: 'pages',
        run: () => void router.navigate({ to: '/onboarding' }),
      },
      {
        id: 'approvals',
        title: t.palette.goTo(t.frame.approvals()),
        section: 'pages',
        run: () => void router.navigate({ to: '/approvals' }),
      },
      {
        id: 'billing',
        title: t.palette.goTo(t.frame.billing()),
        section: 'pages',
        run: () => void router.navigate({ to: '/settings/billing' }),
      },
      {
        id: 'account',
        title: t.palette.goTo(t.frame.account()),
        section: 'pages',
        keys: 'g a',
        run: () => void router.navigate({ to: '/settings/account' }),
      },
      {
        id: 'security',
        title: t.palette.goTo(t.frame.security()),
        section: 'pages',
        keys: 'g c',
        run: () => void router.navigate({ to: '/settings/security' }),
      },
    ];
    if (slug !== undefined) {
      const params = { project: slug };
      pages.unshift(
        {
          id: 'flags',
          title: t.palette.goTo(t.frame.flags()),
          section: 'pages',
          keys: 'g f',
          run: () => void router.navigate({ to: '/p/$project/flags', params }),
        },
        {
          id: 'segments',
          title: t.palette.goTo(t.frame.segments()),
          section: 'pages',
          keys: 'g s',
          run: () => void router.navigate({ to: '/p/$project/segments', params }),
        },
        {
          id: 'environments',
          title: t.palette.goTo(t.frame.environments()),
          section: 'pages',
          keys: 'g n',
          run: () => void router.navigate({ to: '/p/$project/environments', params }),
        },
        {
          id: 'project-settings',
          title: t.palette.goTo(t.frame.projectSettings()),
          section: 'pages',
          keys: 'g p',
          run: () => void router.navigate({ to: '/p/$project/settings', params }),
        },
      );
    }
    const switches = projects
      .filter(project => project.slug !== slug)
      .map<Command>(project => ({
        id: `project-${project.id}`,
        title: t.palette.switchTo(project.name),
        section: 'projects',
        run: () => void router.navigate({ to: '/p/$project/flags', params: { project: project.slug } }),
      }));
    const themes = THEMES.map<Command>(theme => ({
      id: `theme-${theme}`,
      title: t.palette.useTheme(themeName(theme)),
      section: 'actions',
      run: () => setTheme(theme),
    }));
    return [
      ...pages,
      ...switches,
      ...themes,
      { id: 'keys', title: t.frame.keys(), section: 'actions', keys: '?', run: openKeys },
      { id: 'sign-out', title: t.frame.signOut(), section: 'actions', run: () => void signOut() },
    ];
  }, [router, projects, slug, setTheme, openKeys]);
  useCommands(commands);
}
