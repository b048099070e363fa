import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { useDraft } from '../../../flagState/draft';
import { useExplainedDraft } from '../../../flagState/explainDraft';
import { type Segments, segmentsQuery } from '../../../flagState/queries';
import { sentence } from '../../../messages/format';
import { useMe } from '../../../session/me';
import { mayEditRules, mayRequest, mayToggle } from '../../../session/permissions';
import { Banner } from '../../../ui/Feedback';
import type { TabProps } from '../tabProps';
import { placeOf, problemsOf, rulePlaceOf, withoutPlace } from './checks';
import { type Editor, EditorContext } from './editor';
import { notesOf } from './explained';
import { ruleWords } from './messages';
import { RestCard } from './RestCard';
import { RuleList } from './RuleList';
import styles from './Rules.module.css';
import { SaveBar } from './SaveBar';
import { ScheduleCard } from './ScheduleCard';
import { StateCard } from './StateCard';
import { TargetsCard } from './targets/TargetsCard';
import { countTargets } from './targets/targets';

function refusedOf(message: string): Editor['refused'] {
  const path = placeOf(message);
  return path === null ? null : { path, text: sentence(withoutPlace(message)) };
}

/** Before the segments are loaded. */
const UNKNOWN: Segments = { segments: [], isComplete: false };

/** Who gets what in an environment: one draft of the whole state. */
export default function TargetingTab({ project, flag, environment }: TabProps) {
  const me = useMe();
  const { base, draft, texts, isDirty } = useDraft();
  const { data: segments = UNKNOWN } = useQuery(segmentsQuery(project.id));
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [areProblemsShown, setProblemsShown] = useState(false);
  const [refused, setRefused] = useState<Editor['refused']>(null);
  const [goToWrong, setGoToWrong] = useState(0);

  const problems = useMemo(() => problemsOf(flag.flag_type, draft), [flag.flag_type, draft]);
  const isComplete = problems.size === 0 && Object.keys(texts).length === 0;
  const explained = useExplainedDraft(
    isComplete ? { projectId: project.id, envId: environment.id, flagKey: flag.key, state: draft } : null,
  );
  const notes = useMemo(() => notesOf(explained ?? { rules: [], warnings: [] }), [explained]);
  const refusal = useMemo(() => refusedOf(explained?.refusal ?? ''), [explained]);
  const values = explained?.values ?? null;
  const mayRules = mayEditRules(me, environment.id);
  const maySwitch = mayToggle(me, environment.id);
  const isReadOnly = !mayRules && !mayRequest(me);
  const isSwitchLocked = !maySwitch && !mayRequest(me);
  const whyNot =
    ruleWords.mayNot(environment.name, !maySwitch, !mayRules) ??
    (environment.protected ? ruleWords.byApproval(environment.name) : undefined);
  const segmentName = useMemo(() => {
    const names = new Map(segments.segments.map(({ key, name }) => [key, name]));
    return (key: string) => names.get(key) ?? key;
  }, [segments]);
  const known = useMemo(
    () => [...base.rules.flatMap(rule => rule.conditions), ...segments.segments.flatMap(one => one.rules)],
    [base.rules, segments],
  );
  const editor = useMemo<Editor>(() => {
    return {
      flag,
      environment,
      isReadOnly,
      isSwitchLocked,
      segments,
      segmentName,
      known,
      problems,
      notes,
      values,
      areProblemsShown,
      refused: refused ?? refusal,
    };
  }, [
    flag,
    environment,
    isReadOnly,
    isSwitchLocked,
    segments,
    segmentName,
    known,
    problems,
    notes,
    values,
    areProblemsShown,
    refused,
    refusal,
  ]);

  // A refusal is about the draft that was sent: the next change may mend it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the draft that counts
  useEffect(() => setRefused(null), [draft]);
  useEffect(() => {
    if (!isDirty) setProblemsShown(false);
  }, [isDirty]);
  useEffect(() => {
    if (goToWrong > 0) document.querySelector<HTMLElement>('main [aria-invalid=true]')?.focus();
  }, [goToWrong]);

  const wrongRules = useMemo(() => {
    const places = [...problems.keys()].map(rulePlaceOf);
    const typed = draft.rules.map(({ id }, place) =>
      Object.keys(texts).some(field => field.startsWith(`rule:${id}:`)) ? place : null,
    );
    return new Set([...places, ...typed].filter(place => place !== null));
  }, [problems, texts, draft.rules]);

  const targets = useMemo(() => countTargets(draft.rules, base.rules), [draft.rules, base.rules]);

  const openRules = (places: Iterable<number>) => {
    const ids = [...places].flatMap(place => draft.rules[place]?.id ?? []);
    setOpen(before => new Set([...before, ...ids]));
    setGoToWrong(count => count + 1);
  };
  const onWrong = () => {
    setProblemsShown(true);
    openRules(wrongRules);
  };
  const onRefused = (refusal: Refusal) => {
    const found = refusal.kind === 'invalid' ? refusedOf(refusal.message) : null;
    if (found === null) return false;
    setRefused(found);
    const place = rulePlaceOf(found.path);
    openRules(place === null ? [] : [place]);
    return true;
  };
  const onOpen = (id: string, isOpen: boolean) =>
    setOpen(before => {
      const next = new Set(before);
      if (isOpen) next.add(id);
      else next.delete(id);
      return next;
    });

  return (
    <EditorContext value={editor}>
      <div className={styles.tab}>
        {whyNot === undefined ? null : (
          <Banner tone="note">
            {isReadOnly && isSwitchLocked ? ruleWords.mayNotEdit() : whyNot}{' '}
            {mayRequest(me) ? ruleWords.butRequest() : null}
          </Banner>
        )}
        <StateCard />
        {editor.refused !== null && rulePlaceOf(editor.refused.path) === null ? (
          <Banner tone="bad">{editor.refused.text}</Banner>
        ) : null}
        <TargetsCard count={targets} />
        <RuleList
          first={targets}
          open={open}
          onOpen={onOpen}
          wrong={areProblemsShown ? wrongRules : new Set()}
        />
        <RestCard />
        <ScheduleCard />
        <SaveBar
          project={project}
          flag={flag}
          environment={environment}
          wrong={problems.size + Object.keys(texts).length}
          isWrongShown={areProblemsShown}
          onWrong={onWrong}
          onRefused={onRefused}
        />
      </div>
    </EditorContext>
  );
}
