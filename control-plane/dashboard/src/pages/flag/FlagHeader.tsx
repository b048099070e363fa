import { Link } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import type { Flag } from '../../api/model';
import type { NamedProject } from '../../frame/project';
import { Chip } from '../../ui/Chip';
import { CopyButton } from '../../ui/CopyButton';
import { flagsPage } from '../flags/messages';
import styles from './Flag.module.css';
import { flagWords } from './messages';

interface FlagHeaderProps {
  project: NamedProject;
  flag: Flag;
}

/** The properties of the flag that all environments share. */
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
        <Chip>{flagWords.type(flagsPage.typeName(flag.flag_type))}</Chip>
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
