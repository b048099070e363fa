import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, LogOut, Rocket, ShieldCheck, UserRound } from 'lucide-react';
import { useState } from 'react';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { end } from '../session/session';
import { mayDrop } from '../session/unsaved';
import { IconButton } from '../ui/Button';
import { Menu, MenuChoices, MenuItem } from '../ui/Menu';
import { Optional } from '../ui/Optional';
import { part } from '../ui/part';
import { refusalText } from '../ui/refusalText';
import { warn } from '../ui/say';
import { THEMES, type Theme, useTheme } from './preferences';

const SignOutEverywhere = part(() => import('./SignOutEverywhere'));

const THEME_NAMES: Record<Theme, () => string> = {
  system: t.frame.themeSystem,
  light: t.frame.themeLight,
  dark: t.frame.themeDark,
};

export function themeName(theme: Theme): string {
  return THEME_NAMES[theme]();
}

export function AccountMenu() {
  const { user } = useMe();
  const navigate = useNavigate();
  const [theme, setTheme] = useTheme();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Menu
        label={t.frame.accountMenu(user.name)}
        trigger={
          <IconButton label={t.frame.accountMenu(user.name)}>
            <CircleUserRound size={20} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem
          id="account"
          label={t.frame.account()}
          hint={user.email}
          icon={<UserRound size={16} aria-hidden />}
          onAction={() => void navigate({ to: '/settings/account' })}
        />
        <MenuItem
          id="security"
          label={t.frame.security()}
          icon={<ShieldCheck size={16} aria-hidden />}
          onAction={() => void navigate({ to: '/settings/security' })}
        />
        <MenuItem
          id="first-run"
          label={t.frame.firstRun()}
          icon={<Rocket size={16} aria-hidden />}
          onAction={() => void navigate({ to: '/onboarding' })}
        />
        <MenuChoices
          title={t.frame.theme()}
          choices={THEMES.map(id => ({ id, label: themeName(id) }))}
          value={theme}
          onChange={id => setTheme(id as Theme)}
        />
        <MenuItem
          id="sign-out"
          label={t.frame.signOut()}
          icon={<LogOut size={16} aria-hidden />}
          onAction={() => void signOut()}
        />
        <MenuItem
          id="everywhere"
          label={t.frame.signOutEverywhere()}
          onAction={() => void mayDrop().then(setAsking)}
        />
      </Menu>
      <Optional onClose={() => setAsking(false)}>
        {isAsking ? <SignOutEverywhere onClose={() => setAsking(false)} /> : null}
      </Optional>
    </>
  );
}

export async function signOut(): Promise<void> {
  if (!(await mayDrop())) return;
  const refusal = await end();
  if (refusal !== null) warn(refusalText(refusal));
}
