import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { NamedProject } from '../frame/project';
import { t } from '../messages/en';
import { flagWords } from '../messages/flag';
import { Chip } from '../ui/Chip';
import { CopyButton } from '../ui/CopyButton';
import styles from './Flag.module.css';
import type { Flag } from './model';

interface FlagHeaderProps {
  project: NamedProject;
  flag: Flag;
}

/** What is true of the flag in every environment. */
export function FlagHeader({ project, flag }: FlagHeaderProps) {
  return (
    <header className={styles.header}>
      <Link to="/p/$project/flags" params={{ project: project.slug }} className={styles.back}>
        <ArrowLeft size={16} aria-hidden />
        {flagWords.back()}
      </Link>
      <h1 className={styles.title}>{flag.name}</h1>
      <div className="row">
        <code className={styles.key}>{flag.key}</code>
        <CopyButton text={flag.key} label={flagWords.copyKey()} />
        <Chip>{flagWords.type(t.flags.typeName(flag.flag_type))}</Chip>
        {flag.tags.map(tag => (
          <Chip key={tag}>{tag}</Chip>
        ))}
      </div>
      {flag.description === '' ? null : <p className={styles.description}>{flag.description}</p>}
      {flag.prerequisites.length > 0 || flag.mutual_exclusion_group !== '' ? (
        <Relations project={project} flag={flag} />
      ) : null}
    </header>
  );
}

function Relations({ project, flag }: FlagHeaderProps) {
  return (
    <dl className={styles.relations}>
      {flag.prerequisites.length > 0 ? (
        <div>
          <dt title={flagWords.prerequisitesText()}>{flagWords.prerequisites()}</dt>
          <dd>
            {flag.prerequisites.map(key => (
              <Link
                key={key}
                to="/p/$project/flags/$key"
                params={{ project: project.slug, key }}
                search={({ env }) => (env === undefined ? {} : { env })}
                from="/p/$project/flags/$key"
              >
                <code>{key}</code>
              </Link>
            ))}
          </dd>
        </div>
      ) : null}
      {flag.mutual_exclusion_group === '' ? null : (
        <div>
          <dt title={flagWords.mutexText()}>{flagWords.mutex()}</dt>
          <dd>
            <code>{flag.mutual_exclusion_group}</code>
          </dd>
        </div>
      )}
    </dl>
  );
}
