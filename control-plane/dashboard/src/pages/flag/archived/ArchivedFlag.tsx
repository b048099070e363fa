import { useNavigate } from '@tanstack/react-router';
import type { Flag } from '../../../api/model';
import type { NamedProject } from '../../../frame/project';
import styles from '../Flag.module.css';
import { FlagHeader } from '../FlagHeader';
import { ArchivedActions } from './ArchivedActions';
import { archived } from './messages';

interface ArchivedFlagProps {
  project: NamedProject;
  flag: Flag;
  archivedAt: string;
  onGoing: (isGoing: boolean) => void;
}

/** The page of an archived flag, in place of its tabs: nothing of it can be changed. */
export default function ArchivedFlag({ project, flag, archivedAt, onGoing }: ArchivedFlagProps) {
  const navigate = useNavigate();
  return (
    <div className={`page dense ${styles.page}`}>
      <FlagHeader project={project} flag={flag} />
      <section className="card" aria-labelledby="archived">
        <h2 id="archived">{archived.title()}</h2>
        <p>{archived.about(archivedAt)}</p>
        <ArchivedActions
          projectId={project.id}
          flagKey={flag.key}
          onGoing={onGoing}
          onDeleted={() => navigate({ to: '/p/$project/flags', params: { project: project.slug } })}
        />
      </section>
    </div>
  );
}
