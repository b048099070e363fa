import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { draftOf, useDraft } from '../../../flagState/draft';
import { segmentsQuery } from '../../../flagState/queries';
import { useMe } from '../../../session/me';
import type { TabProps } from '../tabProps';
import { Answers } from './Answers';
import { attributesLookedAt } from './attributes';
import { ContextCard } from './ContextCard';
import type { Context } from './context';
import styles from './Explain.module.css';
import { readEdited } from './edited';
import { linkTo } from './link';
import { explainWords } from './messages';
import { type Question, subjectsOf } from './queries';
import { useRecent } from './recent';
import { useContextEditor } from './useContextEditor';
import { useExplanation } from './useExplanation';
import { VersionPicker } from './VersionPicker';

/** Explains the answer to a context: now, with the draft, and at an earlier version. */
export default function ExplainTab({ project, flag, environment }: TabProps) {
  const user = useMe().user.id;
  const { version = null } = useSearch({ from: '/framed/p/$project/flags/$key' });
  const navigate = useNavigate({ from: '/p/$project/flags/$key' });
  const { draft, isDirty, stored } = useDraft();
  const segments = useQuery(segmentsQuery(project.id));
  const { edited, change } = useContextEditor(user);
  const { contexts, remember, clear } = useRecent(user);

  const read = readEdited(edited);
  const subjects = useMemo(
    () => subjectsOf(draftOf(stored.state), isDirty ? draft : null, version),
    [stored.state, isDirty, draft, version],
  );
  const ask = (context: Context): Question => ({
    projectId: project.id,
    envId: environment.id,
    flagKey: flag.key,
    context,
    subjects,
  });
  const lastRead = useRef<Context>({});
  if (read.ok) lastRead.current = read.context;
  const { answers, refusal, retry, isWorking } = useExplanation(ask(lastRead.current));

  const isAnswered = refusal === null && (answers?.some(({ outcome }) => outcome.ok) ?? false);
  const keep = () => {
    if (read.ok && isAnswered && !isWorking) remember(read.context);
  };
  const now = useRef(keep);
  useEffect(() => {
    now.current = keep;
  });
  useEffect(() => {
    const leave = () => now.current();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, []);

  const known = useMemo(
    () => attributesLookedAt(draft.rules, segments.data?.segments ?? []),
    [draft.rules, segments.data],
  );
  return (
    <div className={styles.tab}>
      <div className={styles.picker}>
        <VersionPicker
          projectId={project.id}
          flagKey={flag.key}
          envId={environment.id}
          version={version}
          onChange={next =>
            void navigate({
              to: '.',
              search: ({ version: _, ...others }) => (next === null ? others : { ...others, version: next }),
              replace: true,
              resetScroll: false,
            })
          }
        />
        <span className="soft small" aria-hidden>
          {isWorking ? explainWords.working() : ''}
        </span>
      </div>
      <ContextCard
        edited={edited}
        read={read}
        known={known}
        refusal={refusal}
        recent={contexts}
        link={read.ok ? linkTo(read.context, version, environment.slug) : null}
        onChange={change}
        onForget={clear}
        onLeave={keep}
      />
      <Answers answers={answers} isBehind={!read.ok || refusal !== null} onRetry={retry} />
    </div>
  );
}
