import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dependantsQuery } from '../flagState/dependants';
import { flagQuery, stateQuery } from '../flagState/queries';
import { t } from '../messages/en';
import { list } from '../messages/format';
import { CommentField } from '../parts/CommentField';
import { useMe } from '../session/me';
import { Button } from '../ui/Button';
import { EnvironmentChip } from '../ui/Chip';
import { DialogActions } from '../ui/Dialog';
import { Banner } from '../ui/Feedback';
import { TextField } from '../ui/Field';
import { useOnline } from '../ui/useOnline';
import type { Target } from './asked';
import { hasToType } from './confirm';
import { mayKill } from './mayKill';
import { killing } from './messages';
import { loadQuery, protectedQuery } from './queries';

/** Dependants that are named; the others are counted. */
const NAMED = 3;

interface KillQuestionProps {
  target: Target;
  onClose: () => void;
  /** With whether it can be turned on again: it was on, as far as is known, and needs no approval there. And a comment. */
  onConfirm: (isOn: boolean, comment: string) => void;
}

/** The effect of a kill, and its button. Only whether typing is needed has to be known before. */
export function KillQuestion({ target, onClose, onConfirm }: KillQuestionProps) {
  const { projectId, flagKey, environment } = target;
  const me = useMe();
  const isOnline = useOnline();
  const [typed, setTyped] = useState('');
  const [comment, setComment] = useState('');
  const flag = useQuery(flagQuery(projectId, flagKey));
  const state = useQuery(stateQuery(projectId, flagKey, environment.id));
  const guarded = useQuery(protectedQuery(projectId));
  const load = useQuery({
    ...loadQuery(projectId, flagKey, environment.id),
    enabled: me.permissions.includes('metrics.read') && (me.role === 'owner' || me.role === 'admin'),
  });
  const uses = useQuery(dependantsQuery(projectId, flagKey));

  const isAllowed = mayKill(me, environment.id);
  const isTyped = hasToType(environment.id, guarded);
  const isReady = isTyped !== null && (!isTyped || typed.trim().toLowerCase() === environment.slug);
  const stored = state.data?.state;
  const stopped = (uses.data?.flags ?? [])
    .filter(({ env_ids }) => env_ids.includes(environment.id))
    .map(({ key }) => key);
  const again = stored !== undefined && 'rules' in stored ? stored.scheduled_enable_at : null;

  function confirm() {
    if (isReady && isAllowed && isOnline) onConfirm(!isTyped && (stored?.enabled ?? true), comment);
  }

  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        confirm();
      }}
    >
      {stored?.enabled === false ? <Banner tone="note">{killing.offAlready()}</Banner> : null}
      {isAllowed ? null : <Banner tone="warn">{killing.mayNot(environment.name)}</Banner>}
      <dl className="facts">
        <dt>{killing.where()}</dt>
        <dd>
          <EnvironmentChip name={environment.name} color={environment.color} />
        </dd>
        <dt>{killing.instead()}</dt>
        <dd>
          {flag.data === undefined ? '…' : killing.insteadText(JSON.stringify(flag.data.default_value))}
        </dd>
        {load.data === undefined ? null : (
          <>
            <dt>{killing.load()}</dt>
            <dd>{killing.loadText(load.data)}</dd>
          </>
        )}
        {stopped.length === 0 ? null : (
          <>
            <dt>{killing.dependants()}</dt>
            <dd>
              {stopped.length === 1
                ? killing.dependantText(stopped[0] ?? '')
                : killing.dependantsText(list(stopped.slice(0, NAMED)), stopped.length - NAMED)}
            </dd>
          </>
        )}
      </dl>
      {again === null ? null : <Banner tone="warn">{killing.scheduled(again)}</Banner>}
      <p className="soft">{killing.atOnce()}</p>
      {isTyped && isAllowed ? (
        <TextField
          label={killing.typeSlug(environment.slug)}
          description={killing.typeSlugText(environment.name)}
          value={typed}
          onChange={setTyped}
          autoFocus
          autoComplete="off"
          spellCheck="false"
        />
      ) : null}
      {isAllowed ? <CommentField value={comment} onChange={setComment} /> : null}
      <DialogActions>
        <Button onPress={onClose}>{t.common.cancel()}</Button>
        <Button type="submit" look="danger" isDisabled={!isReady || !isAllowed || !isOnline}>
          {killing.confirm(environment.name)}
        </Button>
      </DialogActions>
    </form>
  );
}
