import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { buttonClass } from '../ui/Button';
import { Menu, MenuChoices, MenuItem } from '../ui/Menu';
import { Optional } from '../ui/Optional';
import { part } from '../ui/part';
import styles from './Frame.module.css';
import { useCurrentProject } from './project';

const NewProject = part(() => import('../pages/project/NewProject'));

export function ProjectSwitcher() {
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
      <Optional onClose={() => setCreating(false)}>
        {isCreating ? <NewProject onClose={() => setCreating(false)} /> : null}
      </Optional>
    </>
  );
}
