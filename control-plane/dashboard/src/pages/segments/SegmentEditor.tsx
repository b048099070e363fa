import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { Refused } from '../../api/refusal';
import { attributesOf } from '../../conditions/edit';
import { conditionWords } from '../../conditions/messages';
import { changedFields } from '../../diff/mergeFields';
import { segmentsQuery } from '../../flagState/queries';
import { type Command, useCommands } from '../../frame/commands';
import type { NamedProject } from '../../frame/project';
import { StaleView } from '../../frame/StaleView';
import { sentence } from '../../messages/format';
import { EditField } from '../../parts/Fields';
import { LeaveWarning } from '../../parts/LeaveWarning';
import { MayNot, useMay } from '../../parts/MayNot';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { Banner } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Optional } from '../../ui/Optional';
import { say } from '../../ui/say';
import { ConditionsField } from './ConditionsField';
import { fieldsOf, placeOf, problemsOf } from './fields';
import { MeanwhileDialog } from './MeanwhileDialog';
import { segments as words } from './messages';
import { type Segment, type SegmentFields, segmentQuery, updateSegment } from './queries';
import { ReviewDialog } from './ReviewDialog';
import styles from './Segments.module.css';
import { TestCard } from './TestCard';
import { useConditionNotes } from './testConditions';

interface Stored {
  data: Segment;
  etag: string;
}

interface SegmentEditorProps {
  project: NamedProject;
  stored: Stored;
}

type Open = { kind: 'review' } | { kind: 'meanwhile'; theirs: Stored } | null;

/** A draft of the segment. It follows the stored segment until something is changed here. */
export function SegmentEditor({ project, stored }: SegmentEditorProps) {
  const client = useQueryClient();
  const mayEdit = useMay('segments.write');
  const [draft, setDraft] = useState<{ base: Stored; fields: SegmentFields } | null>(null);
  const [areProblemsShown, setProblemsShown] = useState(false);
  const [refused, setRefused] = useState<{ path: string; text: string } | null>(null);
  const [open, setOpen] = useState<Open>(null);
  const all = useQuery(segmentsQuery(project.id));

  const { key } = stored.data;
  const base = draft?.base ?? stored;
  const before = fieldsOf(base.data);
  const fields = draft?.fields ?? before;
  const isChanged = Object.keys(changedFields(before, fields)).length > 0;
  const problems = problemsOf(fields.rules);
  const said = useConditionNotes(project.id, fields, problems.size === 0);
  // Not those of the draft: what is being typed is no name yet.
  const attributes = attributesOf([
    ...before.rules,
    ...(all.data?.segments ?? []).flatMap(({ rules }) => rules),
  ]);

  const change = (next: Partial<SegmentFields>) => {
    setRefused(null);
    setDraft({ base, fields: { ...fields, ...next } });
  };
  const drop = () => {
    setDraft(null);
    setProblemsShown(false);
    setRefused(null);
  };

  function problemAt(path: string): string | undefined {
    const shown = refused ?? said.refused;
    if (shown?.path === path) return shown.text;
    const problem = areProblemsShown ? problems.get(path) : undefined;
    return problem === undefined ? undefined : conditionWords.problem(problem);
  }

  const isReady = problems.size === 0 && fields.name.trim() !== '';
  const review = useCallback(() => {
    setProblemsShown(true);
    if (isReady) setOpen({ kind: 'review' });
  }, [isReady]);
  const maySave = mayEdit && isChanged;
  useCommands(
    useMemo<Command[]>(
      () =>
        maySave
          ? [{ id: 'save-segment', title: words.saveIt(), section: 'actions', keys: 's', run: review }]
          : [],
      [maySave, review],
    ),
  );

  /** Loads the stored segment, to show it or to merge with it. */
  async function reread(): Promise<Refusal | null> {
    try {
      const theirs = await client.fetchQuery({ ...segmentQuery(project.id, key), staleTime: 0 });
      if (draft !== null && isChanged) setOpen({ kind: 'meanwhile', theirs });
      else drop();
      return null;
    } catch (problem) {
      if (problem instanceof Refused) return problem.refusal;
      throw problem;
    }
  }

  async function save(): Promise<Refusal | null> {
    const answer = await updateSegment(project.id, key, base.etag, changedFields(before, fields));
    if (!answer.ok) {
      const { refusal } = answer;
      if (refusal.kind === 'changed') return reread();
      const path = refusal.kind === 'invalid' ? placeOf(refusal.message) : null;
      if (path === null || refusal.kind !== 'invalid') return refusal;
      setRefused({ path, text: sentence(refusal.message) });
      setOpen(null);
      return null;
    }
    say(words.saved(key));
    setOpen(null);
    await client.invalidateQueries({ queryKey: ['segments', project.id] });
    drop();
    return null;
  }

  return (
    <>
      <LeaveWarning names={isChanged ? [words.leaveName()] : []} />
      {isChanged ? (
        <StaleView resourceType="segment" resourceId={stored.data.id} onShow={() => void reread()} />
      ) : null}
      <MayNot permit="segments.write" />
      <div className="card">
        <TextField
          label={words.name()}
          isRequired
          isReadOnly={!mayEdit}
          isInvalid={areProblemsShown && fields.name.trim() === ''}
          autoComplete="off"
          maxLength={255}
          value={fields.name}
          onChange={name => change({ name })}
        />
        <EditField
          label={words.description()}
          isLong
          isDisabled={!mayEdit}
          value={fields.description}
          onChange={description => change({ description })}
        />
        <ConditionsField
          fields={fields}
          onChange={change}
          attributes={attributes}
          isReadOnly={!mayEdit}
          notes={said.notes}
          problemAt={problemAt}
        />
        {areProblemsShown && problems.size > 0 ? (
          <Banner tone="bad">{conditionWords.fix(problems.size)}</Banner>
        ) : null}
        <div className={styles.save}>
          {isChanged ? <Chip tone="warn">{words.unsaved()}</Chip> : null}
          <Button isDisabled={!isChanged} onPress={drop}>
            {words.drop()}
          </Button>
          <Button look="primary" isDisabled={!maySave} onPress={review}>
            {words.save()}
          </Button>
        </div>
      </div>
      <Optional>
        <TestCard projectId={project.id} fields={fields} />
      </Optional>
      <Optional onClose={() => setOpen(null)}>
        {open?.kind === 'review' ? (
          <ReviewDialog
            project={project}
            segmentKey={key}
            before={before}
            after={fields}
            onSave={save}
            onClose={() => setOpen(null)}
          />
        ) : null}
        {open?.kind === 'meanwhile' ? (
          <MeanwhileDialog
            base={before}
            mine={fields}
            theirs={fieldsOf(open.theirs.data)}
            onContinue={merged => {
              setDraft({ base: open.theirs, fields: merged });
              setOpen(null);
            }}
            onClose={() => setOpen(null)}
          />
        ) : null}
      </Optional>
    </>
  );
}
