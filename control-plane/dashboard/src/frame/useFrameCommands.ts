import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { signOut, themeName } from './AccountMenu';
import { type Command, useCommands } from './commands';
import { OF_ORGANIZATION, OF_PROJECT, SETTINGS, shown } from './navigation';
import { THEMES, useTheme } from './preferences';
import { useCurrentProject } from './project';

/** The commands that are there on every page. */
export function useFrameCommands(openKeys: () => void): void {
  const router = useRouter();
  const me = useMe();
  const { projects } = me;
  const slug = useCurrentProject()?.slug;
  const [, setTheme] = useTheme();

  const commands = useMemo<Command[]>(() => {
    const inProject = slug === undefined ? [] : shown(OF_PROJECT, me);
    const pages: Command[] = [
      ...inProject.map(({ to, label, keys }) => ({
        ...pageCommand(to, label(), keys),
        run: () => void router.navigate({ to, params: { project: slug ?? '' } }),
      })),
      ...[...shown(OF_ORGANIZATION, me), ...shown(SETTINGS, me)].map(({ to, label, keys }) => ({
        ...pageCommand(to, label(), keys),
        run: () => void router.navigate({ to }),
      })),
      {
        ...pageCommand('/onboarding', t.frame.firstRun()),
        run: () => void router.navigate({ to: '/onboarding' }),
      },
    ];
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
  }, [router, me, projects, slug, setTheme, openKeys]);
  useCommands(commands);
}

function pageCommand(id: string, title: string, keys?: string): Omit<Command, 'run'> {
  return { id, title: t.palette.goTo(title), section: 'pages', ...(keys === undefined ? {} : { keys }) };
}
