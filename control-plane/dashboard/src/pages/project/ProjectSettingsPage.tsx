import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { MayNot, useMay } from '../../parts/MayNot';
import { Button } from '../../ui/Button';
import { CopyButton } from '../../ui/CopyButton';
import { Optional } from '../../ui/Optional';
import { usePageTitle } from '../../ui/usePageTitle';
import { DeleteProject } from './DeleteProject';
import { projects as words } from './messages';
import { ProjectForm } from './ProjectForm';

const route = getRouteApi('/framed/p/$project/settings');

export function ProjectSettingsPage() {
  const { project } = route.useParams();
  return <WithProject named={project}>{found => <Settings key={found.id} project={found} />}</WithProject>;
}

function Settings({ project }: { project: NamedProject }) {
  usePageTitle(words.title());
  const mayDelete = useMay('projects.delete');
  const [isDeleting, setDeleting] = useState(false);
  return (
    <div className="page">
      <h1>{words.title()}</h1>
      <section className="card" aria-labelledby="general">
        <h2 id="general">{words.general()}</h2>
        <MayNot permit="projects.create" />
        <ProjectForm key={`${project.name}/${project.slug}`} project={project} />
      </section>
      <div className="card">
        <h2>{words.id()}</h2>
        <div className="row">
          <code>{project.id}</code>
          <CopyButton isSmall text={project.id} label={words.copyId()} />
        </div>
      </div>
      <section className="card" aria-labelledby="delete">
        <h2 id="delete">{words.dangerTitle()}</h2>
        <p>{words.dangerText()}</p>
        <MayNot permit="projects.delete" />
        <div>
          <Button look="danger" isDisabled={!mayDelete} onPress={() => setDeleting(true)}>
            {words.delete()}
          </Button>
        </div>
      </section>
      <Optional onClose={() => setDeleting(false)}>
        {isDeleting ? <DeleteProject project={project} onClose={() => setDeleting(false)} /> : null}
      </Optional>
    </div>
  );
}
