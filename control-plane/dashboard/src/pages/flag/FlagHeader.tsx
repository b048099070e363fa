import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeft, Check, Copy, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Flag } from '../../api/model';
import { dependantsQuery } from '../../flagState/dependants';
import type { NamedProject } from '../../frame/project';
import { IconButton } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { useCopied } from '../../ui/useCopied';
import { Value } from '../../ui/Value';
import { flagsPage } from '../flags/messages';
import styles from './Flag.module.css';
import { flagWords } from './messages';
import { Owner } from './owner/Owner';

interface FlagHeaderProps {
  project: NamedProject;
  flag: Flag;
  /** At the end of the first line. */
  children?: ReactNode;
}

/** The properties of the flag that all environments share, in two lines. */
export function FlagHeader({ project, flag, children }: FlagHeaderProps) {
  return (
    <header className={styles.header}>
      <div className={styles.first}>
        <Link
          to="/p/$project/flags"
          params={{ project: project.slug }}
          className={styles.back}
          aria-label={flagWords.back()}
          title={flagWords.back()}
        >
          <ArrowLeft size={18} aria-hidden />
        </Link>
        <h1 className={styles.title}>
          <Value>{flag.name}</Value>
        </h1>
        {children}
      </div>
      <div className={styles.second}>
        <span className={styles.keyed}>
          <code className={styles.key}>{flag.key}</code>
          <CopyKey flagKey={flag.key} />
        </span>
        <Chip>{flagsPage.typeName(flag.flag_type)}</Chip>
        {flag.tags.length === 0 ? null : (
          <ul className={styles.tags} aria-label={flagWords.tags()}>
            {flag.tags.map(tag => (
              <li key={tag}>
                <Value>{flagWords.tag(tag)}</Value>
              </li>
            ))}
          </ul>
        )}
        {flag.mutual_exclusion_group === '' ? null : (
          <span className="soft" title={flagWords.mutexText()}>
            {flagWords.mutex(flag.mutual_exclusion_group)}
          </span>
        )}
        <Owner project={project} flag={flag} />
        <Dependencies project={project} flag={flag} />
      </div>
      {flag.description === '' ? null : (
        <p className={styles.description}>
          <Value>{flag.description}</Value>
        </p>
      )}
    </header>
  );
}

function CopyKey({ flagKey }: { flagKey: string }) {
  const { isCopied, copy } = useCopied(flagKey);
  return (
    <>
      <IconButton label={flagWords.copyKey()} onPress={copy}>
        {isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      </IconButton>
      <span className="hidden" role="status">
        {isCopied ? flagWords.copied() : ''}
      </span>
    </>
  );
}

/** How many flags it requires and is required by, as the way to their picture. */
function Dependencies({ project, flag }: FlagHeaderProps) {
  const { data } = useQuery(dependantsQuery(project.id, flag.key));
  const required = flag.prerequisites.length;
  const requiring = data?.total ?? 0;
  if (required + requiring === 0) return null;
  return (
    <Link
      from="/p/$project/flags/$key"
      to="."
      search={({ env }) => ({ ...(env === undefined ? {} : { env }), tab: 'settings' as const })}
      hash="dependencies"
      className={styles.related}
    >
      <Workflow size={16} aria-hidden />
      {flagWords.dependencies(required, requiring)}
    </Link>
  );
}
