import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Environment } from '../../api/model';
import type { Refusal } from '../../api/refusal';
import { editFlags, isMade, type Result } from '../../flagState/editFlags';
import { isProduction } from '../../flagState/isProduction';
import { promotionsOf, sayPromoted } from '../../flagState/undoPromotion';
import { t } from '../../messages/en';
import { EditResults } from '../../parts/EditResults';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { Switch } from '../../ui/Switch';
import { useOnline } from '../../ui/useOnline';
import { compare } from './messages';
import type { Differing } from './queries';

interface PromoteDialogProps {
  projectId: string;
  flags: readonly Differing[];
  from: Environment;
  to: Environment;
  onDone: () => void;
  onClose: () => void;
}

/** Says what promoting copies, does it, and shows what became of each flag if some were refused. */
export function PromoteDialog({ projectId, flags, from, to, onDone, onClose }: PromoteDialogProps) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const [withVariants, setWithVariants] = useState(false);
  const [done, setDone] = useState<number | null>(null);
  const [results, setResults] = useState<Result[]>([]);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const title = compare.promoteTitle(flags.length, from.name, to.name);
  const hasVariants = flags.some(({ differs }) => differs.includes('variants'));

  const refresh = () => {
    void client.invalidateQueries({ queryKey: ['overview', projectId] });
    void client.invalidateQueries({ queryKey: ['flag', projectId] });
  };

  async function run() {
    setDone(0);
    const answer = await editFlags(
      projectId,
      flags.map(({ key }) => key),
      { action: 'promote', env_id: from.id, target_env_id: to.id, variants: withVariants },
      setDone,
    );
    setDone(null);
    setRefusal(answer.refusal);
    setResults(answer.results);
    refresh();
    if (answer.refusal !== null || !answer.results.every(isMade)) return;
    const made = promotionsOf(answer.results, () => undefined);
    sayPromoted(compare.promoted(answer.results.length, to.name), projectId, to, made, refresh);
    onDone();
    onClose();
  }

  return (
    <Dialog title={title} isOpen isWide={results.length > 0} onClose={onClose}>
      {refusal === null ? null : <Banner tone="bad">{refusalText(refusal)}</Banner>}
      {results.length > 0 ? (
        <>
          <EditResults results={results} nameOf={key => flags.find(flag => flag.key === key)?.name ?? key} />
          <DialogActions>
            <Button look="primary" onPress={onClose}>
              {compare.close()}
            </Button>
          </DialogActions>
        </>
      ) : (
        <>
          <p>{compare.promoteText(to.name)}</p>
          {hasVariants ? (
            <>
              <Switch label={compare.withVariants()} isOn={withVariants} onChange={setWithVariants} />
              <p className="soft small">{compare.withVariantsText(to.name)}</p>
            </>
          ) : null}
          {isProduction(to) ? <Banner tone="warn">{compare.production(to.name)}</Banner> : null}
          <p role="status" className="soft">
            {done === null ? '' : compare.progress(done, flags.length)}
          </p>
          <DialogActions>
            <Button onPress={onClose}>{t.common.cancel()}</Button>
            <Button
              look="primary"
              isPending={done !== null}
              isDisabled={!isOnline}
              onPress={() => void run()}
            >
              {compare.promote(to.name)}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}
