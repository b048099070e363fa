import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { type Edit, editFlags, isMade, type Result } from '../../../flagState/editFlags';
import { isProduction } from '../../../flagState/isProduction';
import { promotionsOf, undoPromotions } from '../../../flagState/undoPromotion';
import { t } from '../../../messages/en';
import { EditResults } from '../../../parts/EditResults';
import { Button } from '../../../ui/Button';
import { Dialog, DialogActions } from '../../../ui/Dialog';
import { Banner } from '../../../ui/Feedback';
import { TextField } from '../../../ui/Field';
import { refusalText } from '../../../ui/refusalText';
import { Select } from '../../../ui/Select';
import { Switch } from '../../../ui/Switch';
import { say, warn } from '../../../ui/say';
import { useOnline } from '../../../ui/useOnline';
import type { OverviewEnvironment } from '../overview';
import type { Selection } from '../selection';
import styles from './Bulk.module.css';
import { changes, undoOf } from './edit';
import { type BulkAction, bulk } from './messages';

interface BulkDialogProps {
  projectId: string;
  environments: readonly OverviewEnvironment[];
  selection: Selection;
  action: BulkAction;
  onDone: () => void;
  onClose: () => void;
}

/** Asks for what an edit needs, says what it will change, and shows what became of each flag. */
export function BulkDialog(props: BulkDialogProps) {
  const { projectId, environments, selection, action, onDone, onClose } = props;
  const client = useQueryClient();
  const isOnline = useOnline();
  const [env, setEnv] = useState(environments[0]?.id ?? '');
  const [target, setTarget] = useState(environments[1]?.id ?? '');
  const [tag, setTag] = useState('');
  const [withVariants, setWithVariants] = useState(false);
  const [done, setDone] = useState<number | null>(null);
  const [results, setResults] = useState<{ edit: Edit; all: Result[] } | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  const isSwitch = action === 'enable' || action === 'disable';
  const isTag = action === 'tag' || action === 'untag';
  const edit: Edit = {
    action,
    ...(isSwitch || action === 'promote' ? { env_id: env } : {}),
    ...(action === 'promote' ? { target_env_id: target, variants: withVariants } : {}),
    ...(isTag ? { tag: tag.trim() } : {}),
  };
  const flags = [...selection.values()];
  const same = flags.filter(flag => !changes(edit, flag)).length;
  const written = environments.find(({ id }) => id === (action === 'promote' ? target : isSwitch ? env : ''));
  const whyNot =
    action === 'promote' && env === target
      ? bulk.needsTwo()
      : written?.protected === true
        ? bulk.protected(written.name)
        : null;
  const isReady = whyNot === null && (!isTag || tag.trim() !== '');

  const refresh = () => client.invalidateQueries({ queryKey: ['overview', projectId] });

  /** How many flags an edit changed, and what takes that back; `null` where nothing is to take back. */
  function undoingOf(made: Edit, all: readonly Result[]): { count: number; run: () => Promise<void> } | null {
    const to = environments.find(({ id }) => id === made.target_env_id);
    if (made.action === 'promote' && to !== undefined) {
      const promotions = promotionsOf(all, key => selection.get(key)?.states[to.id]?.version);
      if (promotions.length === 0) return null;
      const run = () => undoPromotions(projectId, to, promotions).then(refresh);
      return { count: promotions.length, run };
    }
    const undoing = undoOf(made, all, selection);
    return undoing === null ? null : { count: undoing.keys.length, run: () => undo(undoing) };
  }

  async function undo(undoing: NonNullable<ReturnType<typeof undoOf>>) {
    const undone = await editFlags(projectId, undoing.keys, undoing.edit);
    const made = undone.results.filter(isMade).length;
    if (made > 0) say(bulk.undone(made));
    if (made < undoing.keys.length) warn(bulk.undoFailed(undoing.keys.length - made));
    await refresh();
  }

  async function run() {
    setDone(0);
    setRefusal(null);
    const answer = await editFlags(projectId, [...selection.keys()], edit, setDone);
    setDone(null);
    void refresh();
    setRefusal(answer.refusal);
    if (answer.refusal === null && answer.results.every(isMade)) {
      const undoing = undoingOf(edit, answer.results);
      const words = bulk.done(action, answer.results.length);
      if (undoing === null) say(words);
      else say(words, { label: bulk.undo(), run: () => void undoing.run() });
      onClose();
      onDone();
    } else if (answer.results.length > 0) setResults({ edit, all: answer.results });
  }

  const title = bulk.title(action, selection.size);
  if (results !== null) {
    const undoing = undoingOf(results.edit, results.all);
    return (
      <Dialog title={title} isOpen isWide onClose={onClose}>
        {refusal === null ? null : <Banner tone="bad">{refusalText(refusal)}</Banner>}
        <EditResults results={results.all} nameOf={key => selection.get(key)?.name ?? key} />
        <DialogActions>
          {undoing === null ? null : (
            <Button
              onPress={() => {
                onClose();
                void undoing.run();
              }}
            >
              {bulk.undoMade(undoing.count)}
            </Button>
          )}
          <Button look="primary" onPress={onClose}>
            {bulk.close()}
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  const choices = environments.map(({ id, name }) => ({ id, label: name }));
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {refusal === null ? null : <Banner tone="bad">{refusalText(refusal)}</Banner>}
      {action === 'promote' ? <p>{bulk.promoteText()}</p> : null}
      {action === 'archive' ? <p>{bulk.archiveText()}</p> : null}
      {isTag ? (
        <TextField label={bulk.tag()} value={tag} onChange={setTag} autoComplete="off" autoFocus />
      ) : null}
      {isSwitch ? (
        <Select label={bulk.environment()} choices={choices} value={env} onChange={setEnv} />
      ) : null}
      {action === 'promote' ? (
        <>
          <div className={styles.fields}>
            <Select label={bulk.source()} choices={choices} value={env} onChange={setEnv} />
            <Select label={bulk.target()} choices={choices} value={target} onChange={setTarget} />
          </div>
          <Switch label={bulk.variants()} isOn={withVariants} onChange={setWithVariants} />
        </>
      ) : null}
      {whyNot !== null ? (
        <Banner tone="warn">{whyNot}</Banner>
      ) : written !== undefined && isProduction(written) ? (
        <Banner tone="warn">{bulk.production(written.name)}</Banner>
      ) : null}
      {same > 0 && isReady ? <p className="soft">{bulk.already(same)}</p> : null}
      <p role="status" className="soft">
        {done === null ? '' : bulk.progress(done, selection.size)}
      </p>
      <DialogActions>
        <Button onPress={onClose}>{t.common.cancel()}</Button>
        <Button
          look={action === 'archive' ? 'danger' : 'primary'}
          isPending={done !== null}
          isDisabled={!isReady || !isOnline}
          onPress={() => void run()}
        >
          {bulk.confirm(action, selection.size)}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
