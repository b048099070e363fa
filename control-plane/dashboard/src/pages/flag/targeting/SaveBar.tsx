import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { mayDraft } from '../../../changeSets/may';
import { conditionWords } from '../../../conditions/messages';
import { useNames } from '../../../diff/useNames';
import { NO_STATE } from '../../../diff/versions';
import { draftOf, numbered, useDraft } from '../../../flagState/draft';
import { needs, patchOf } from '../../../flagState/patch';
import { lastChangeQuery } from '../../../flagState/queries';
import { Wave } from '../../../fleet/Wave';
import { type Command, useCommands } from '../../../frame/commands';
import { myGrantsQuery } from '../../../grants/queries';
import { useMe } from '../../../session/me';
import { mayEditRules, mayRequest, mayToggle } from '../../../session/permissions';
import { Button } from '../../../ui/Button';
import { Banner } from '../../../ui/Feedback';
import { Optional } from '../../../ui/Optional';
import { part } from '../../../ui/part';
import { useNow } from '../../../ui/useNow';
import { useOnline } from '../../../ui/useOnline';
import type { TabProps } from '../tabProps';
import { useSave } from '../useSave';
import { ruleWords } from './messages';
import styles from './Rules.module.css';

/** Fetched ahead as well: a draft has to be saved without the release that it was begun in. */
const SaveDialog = part(async () => ({ default: (await import('../../../diff/SaveDialog')).SaveDialog }));
const ChangedMeanwhile = part(async () => ({
  default: (await import('../../../diff/ChangedMeanwhile')).ChangedMeanwhile,
}));
const AddDialog = part(() => import('../../../changeSets/AddDialog'));
const MyGrants = part(() => import('../../../grants/MyGrants'));
const WhatIf = part(() => import('../../../whatIf/WhatIf'));
const LiveAnswer = part(() => import('../explain/LiveAnswer'));

interface SaveBarProps extends TabProps {
  /** How many fields keep the draft from being saved. */
  wrong: number;
  /** Whether they are shown, which is after the first attempt to save. */
  isWrongShown: boolean;
  /** Shows what is wrong, and goes there. */
  onWrong: () => void;
  /** The service refused it; whether there is a field to show that at. */
  onRefused: (refusal: Refusal) => boolean;
}

/** At the end of the page while something is not saved: the way to the difference, and from there to save. */
export function SaveBar({ wrong, isWrongShown, onWrong, onRefused, ...where }: SaveBarProps) {
  const { flag, environment, project } = where;
  const me = useMe();
  const isOnline = useOnline();
  const names = useNames(project.id);
  const state = useDraft();
  const { base, draft, stored, isDirty, isBehind, reset, rebase } = state;
  const { pending, sentAt, save, request } = useSave(where, state);
  const [open, setOpen] = useState<'review' | 'meanwhile' | 'add' | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  const begin = (what: 'review' | 'add') => {
    setRefusal(null);
    if (wrong > 0) onWrong();
    else setOpen(isBehind ? 'meanwhile' : what);
  };
  const review = () => begin('review');
  const commands = useSaveCommand(isDirty && open === null, review);
  useCommands(commands);

  const settle = (answer: Refusal | null) => {
    if (answer === null) setOpen(null);
    else if (answer.kind === 'changed') setOpen('meanwhile');
    else if (onRefused(answer)) setOpen(null);
    else setRefusal(answer);
  };
  const { data: grants } = useQuery({
    ...myGrantsQuery(project.id, environment.id),
    enabled: environment.protected && open === 'review' && me.permissions.includes('approvals.read'),
  });
  const patch = patchOf(base, draft);
  const changes = { flags: [{ key: flag.key, states: { [environment.slug]: patch } }] };
  const needed = needs(patch);
  const whyNot =
    ruleWords.mayNot(
      environment.name,
      needed.toggle && !mayToggle(me, environment.id),
      needed.rules && !mayEditRules(me, environment.id),
    ) ?? (environment.protected && !grants?.length ? ruleWords.byApproval(environment.name) : undefined);

  if (!isDirty) return null;
  return (
    <>
      <section className={styles.saveBar} aria-label={ruleWords.save()}>
        {isBehind ? <Behind {...where} onShow={() => setOpen('meanwhile')} /> : null}
        <Optional isSilent>{wrong > 0 ? null : <LiveAnswer {...where} />}</Optional>
        <div className="row apart">
          <span role="status">
            {wrong > 0 && isWrongShown ? conditionWords.fix(wrong) : ruleWords.dirty(environment.name)}
          </span>
          <span className="row">
            <Button onPress={reset}>{ruleWords.discard()}</Button>
            {mayDraft(me) ? <Button onPress={() => begin('add')}>{ruleWords.addToSet()}</Button> : null}
            <Button look="primary" onPress={review}>
              {ruleWords.review()}
            </Button>
          </span>
        </div>
      </section>
      <Optional onClose={() => setOpen(null)}>
        {open === 'review' ? (
          <SaveDialog
            title={ruleWords.reviewTitle(flag.key, environment.name)}
            before={{ state: base }}
            after={{ state: draft }}
            names={names}
            refusal={refusal}
            save={{
              label: ruleWords.saveIn(environment.name),
              onPress: comment => void save(comment).then(settle),
              isPending: pending === 'save',
              whyNot,
              isDisabled: !isOnline,
            }}
            {...(mayRequest(me)
              ? {
                  requestApproval: {
                    label: ruleWords.requestApproval(),
                    onPress: comment => void request(comment).then(settle),
                    isPending: pending === 'request',
                    isDisabled: !isOnline,
                  },
                }
              : {})}
            footnote={
              <Optional isSilent>
                <WhatIf project={project} environments={[environment]} draft={{ changes }} />
              </Optional>
            }
            onCancel={() => setOpen(null)}
          >
            {grants?.length ? (
              <Optional isSilent>
                <MyGrants grants={grants} />
              </Optional>
            ) : null}
            {pending === 'save' ? <Wave envId={environment.id} since={sentAt} answer={null} /> : null}
          </SaveDialog>
        ) : null}
        {open === 'add' ? (
          <AddDialog
            project={project}
            edit={{ flagKey: flag.key, envSlug: environment.slug, fields: patch }}
            environment={environment.name}
            etag={state.etag}
            onAdded={reset}
            onClose={() => setOpen(null)}
          />
        ) : null}
        {open === 'meanwhile' ? (
          <Meanwhile {...where}>
            {by => (
              <ChangedMeanwhile
                base={{ state: base }}
                mine={{ state: draft }}
                theirs={{ state: draftOf(stored.state) }}
                by={by}
                names={names}
                onContinue={({ state: merged }) => {
                  const mine = merged ?? NO_STATE;
                  rebase(draftOf(stored.state), stored.etag, { ...mine, rules: numbered(mine.rules) });
                  setOpen('review');
                }}
                onCancel={() => setOpen(null)}
              />
            )}
          </Meanwhile>
        ) : null}
      </Optional>
    </>
  );
}

function useSaveCommand(isOn: boolean, run: () => void): readonly Command[] {
  const current = useRef(run);
  useEffect(() => {
    current.current = run;
  });
  return useMemo(
    () =>
      isOn
        ? [
            {
              id: 'save',
              title: ruleWords.review(),
              section: 'actions',
              keys: 's',
              run: () => current.current(),
            },
          ]
        : [],
    [isOn],
  );
}

function useLastChange({ project, flag, environment }: TabProps) {
  const { stored } = useDraft();
  const { data } = useQuery(lastChangeQuery(project.id, flag.key, environment.id, stored.etag));
  return data ?? undefined;
}

/** Another person saved since the draft was begun. The draft stays until its author looks. */
function Behind({ onShow, ...where }: TabProps & { onShow: () => void }) {
  const change = useLastChange(where);
  const now = useNow(1000);
  return (
    <Banner tone="note" actions={<Button onPress={onShow}>{ruleWords.show()}</Button>}>
      {/* A screen reader announces the change once, not each second. */}
      <p aria-live="off">
        {change === undefined
          ? ruleWords.behindUnknown()
          : ruleWords.behind(change.actor.name, change.at, Math.max(now, Date.parse(change.at)))}
      </p>
      <p>{ruleWords.behindText()}</p>
    </Banner>
  );
}

interface MeanwhileProps extends TabProps {
  children: (by: { name: string | null; at: string } | undefined) => ReactNode;
}

function Meanwhile({ children, ...where }: MeanwhileProps) {
  const change = useLastChange(where);
  return children(change === undefined ? undefined : { name: change.actor.name, at: change.at });
}
