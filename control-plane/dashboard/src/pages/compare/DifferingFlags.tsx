import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Environment } from '../../api/model';
import { useNames } from '../../diff/useNames';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { More } from '../../parts/More';
import { useMe } from '../../session/me';
import { mayEditRules, mayToggle } from '../../session/permissions';
import { Button } from '../../ui/Button';
import { Banner, Empty } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import styles from './Compare.module.css';
import { DifferingFlag } from './DifferingFlag';
import { differenceOf } from './difference';
import { compare } from './messages';
import { PromoteDialog } from './PromoteDialog';
import { comparedQuery, type Differing } from './queries';

interface DifferingFlagsProps {
  project: NamedProject;
  from: Environment;
  to: Environment;
}

/** The flags that differ; one or many of them are promoted. */
export function DifferingFlags({ project, from, to }: DifferingFlagsProps) {
  const me = useMe();
  const names = useNames(project.id);
  const query = useInfiniteQuery({
    ...comparedQuery(project.id, from.id, to.id),
    refetchInterval: usePolling(),
  });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [promoting, setPromoting] = useState<readonly Differing[] | null>(null);

  if (query.data === undefined) {
    return <PageLoading error={query.error} height="40dvh" />;
  }
  const flags = query.data.pages.flatMap(({ data }) => data);
  const total = query.data.pages.at(-1)?.total ?? 0;
  // Also where the promotion leaves nothing that differs: its results stay until they are closed.
  const dialog =
    promoting === null ? null : (
      <PromoteDialog
        key="promote"
        projectId={project.id}
        flags={promoting}
        from={from}
        to={to}
        onDone={() => setSelected(new Set())}
        onClose={() => setPromoting(null)}
      />
    );
  if (flags.length === 0) {
    return (
      <>
        <Empty title={compare.sameTitle()}>{compare.same(from.name, to.name)}</Empty>
        {dialog}
      </>
    );
  }
  const shown = flags.map(flag => ({ flag, difference: differenceOf(flag, names) }));
  const promotable = shown.flatMap(({ flag, difference }) => (difference.canPromote ? [flag] : []));
  const chosen = promotable.filter(({ key }) => selected.has(key));
  const isPromoter =
    me.permissions.includes('flags.promote') && mayToggle(me, to.id) && mayEditRules(me, to.id);
  const whyNot = to.protected ? compare.protected(to.name) : isPromoter ? null : compare.mayNot(to.name);
  const choose = (keys: readonly string[], isOn: boolean) =>
    setSelected(before => {
      const after = new Set(before);
      for (const key of keys) {
        if (isOn) after.add(key);
        else after.delete(key);
      }
      return after;
    });
  return (
    <>
      {whyNot === null ? null : <Banner tone="note">{whyNot}</Banner>}
      <div className={styles.bar}>
        {whyNot === null && promotable.length > 0 ? (
          <input
            type="checkbox"
            aria-label={compare.selectAll()}
            checked={chosen.length === promotable.length}
            onChange={({ currentTarget }) =>
              choose(
                promotable.map(({ key }) => key),
                currentTarget.checked,
              )
            }
          />
        ) : null}
        <span role="status">{compare.count(total)}</span>
        {chosen.length === 0 ? null : (
          <Button look="primary" onPress={() => setPromoting(chosen)}>
            {compare.promoteMany(chosen.length)}
          </Button>
        )}
      </div>
      <ul className={styles.list} aria-label={compare.list()}>
        {shown.map(({ flag, difference }) => (
          <DifferingFlag
            key={flag.key}
            project={project}
            flag={flag}
            difference={difference}
            from={from}
            to={to}
            mayPromote={whyNot === null}
            isSelected={selected.has(flag.key)}
            onSelect={isOn => choose([flag.key], isOn)}
            onPromote={() => setPromoting([flag])}
          />
        ))}
      </ul>
      <More label={compare.more()} query={query} />
      {dialog}
    </>
  );
}
