import { Link, useNavigate } from '@tanstack/react-router';
import {
  ChevronsUpDown,
  ClipboardCheck,
  CreditCard,
  Flag,
  Layers,
  Plus,
  Settings,
  ShieldCheck,
  UserRound,
  Users,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { buttonClass } from '../ui/Button';
import { Logo } from '../ui/Logo';
import { Menu, MenuChoices, MenuItem } from '../ui/Menu';
import styles from './Frame.module.css';
import { useCurrentProject } from './project';

const NewProject = lazy(() => import('../pages/project/NewProject'));

/** The navigation: only pages that are there. */
export function Sidebar() {
  const project = useCurrentProject();
  const { permissions } = useMe();
  return (
    <nav className={styles.side} aria-label={t.frame.navigation()}>
      <Link to="/" className={styles.brand}>
        <Logo size={24} />
        <span>{t.common.product()}</span>
      </Link>
      <ProjectSwitcher />
      <div className={styles.nav}>
        <ul>
          {project === undefined ? null : (
            <>
              <li>
                <Link to="/p/$project/flags" params={{ project: project.slug }} className={styles.link}>
                  <Flag size={16} aria-hidden />
                  {t.frame.flags()}
                </Link>
              </li>
              <li>
                <Link to="/p/$project/segments" params={{ project: project.slug }} className={styles.link}>
                  <Users size={16} aria-hidden />
                  {t.frame.segments()}
                </Link>
              </li>
              <li>
                <Link
                  to="/p/$project/environments"
                  params={{ project: project.slug }}
                  className={styles.link}
                >
                  <Layers size={16} aria-hidden />
                  {t.frame.environments()}
                </Link>
              </li>
              <li>
                <Link to="/p/$project/settings" params={{ project: project.slug }} className={styles.link}>
                  <Settings size={16} aria-hidden />
                  {t.frame.projectSettings()}
                </Link>
              </li>
            </>
          )}
        </ul>
        <ul>
          <li>
            <Link to="/approvals" className={styles.link}>
              <ClipboardCheck size={16} aria-hidden />
              {t.frame.approvals()}
            </Link>
          </li>
        </ul>
        <p className={styles.heading}>{t.frame.settings()}</p>
        <ul>
          <li>
            <Link to="/settings/account" className={styles.link}>
              <UserRound size={16} aria-hidden />
              {t.frame.account()}
            </Link>
          </li>
          <li>
            <Link to="/settings/security" className={styles.link}>
              <ShieldCheck size={16} aria-hidden />
              {t.frame.security()}
            </Link>
          </li>
          {permissions.includes('billing.read') ? (
            <li>
              <Link to="/settings/billing" className={styles.link}>
                <CreditCard size={16} aria-hidden />
                {t.frame.billing()}
              </Link>
            </li>
          ) : null}
        </ul>
      </div>
    </nav>
  );
}

function ProjectSwitcher() {
  const { projects } = useMe();
  const project = useCurrentProject();
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <Menu
        label={t.frame.project()}
        trigger={
          <Button
            className={`${buttonClass()} ${styles.project}`}
            aria-label={t.frame.projectOf(project?.name ?? t.frame.noProject())}
          >
            <span>{project?.name ?? t.frame.noProject()}</span>
            <ChevronsUpDown size={16} aria-hidden />
          </Button>
        }
      >
        {projects.length === 0 ? null : (
          <MenuChoices
            title={t.frame.project()}
            choices={projects.map(({ id, name, slug }) => ({ id, label: name, hint: slug }))}
            value={project?.id ?? ''}
            onChange={id => {
              const chosen = projects.find(candidate => candidate.id === id);
              if (chosen) void navigate({ to: '/p/$project/flags', params: { project: chosen.slug } });
            }}
          />
        )}
        <MenuItem
          id="create"
          label={t.frame.newProject()}
          icon={<Plus size={16} aria-hidden />}
          onAction={() => setCreating(true)}
        />
      </Menu>
      <Suspense>{isCreating ? <NewProject onClose={() => setCreating(false)} /> : null}</Suspense>
    </>
  );
}
