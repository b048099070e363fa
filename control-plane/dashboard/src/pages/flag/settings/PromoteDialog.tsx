import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Environment, FlagState } from '../../../api/model';
import type { Refusal } from '../../../api/refusal';
import { Behind } from '../../../diff/Behind';
import { differences } from '../../../diff/differences';
import { SaveDialog } from '../../../diff/SaveDialog';
import { Sentences } from '../../../diff/Sentences';
import { useNames } from '../../../diff/useNames';
import { useShown } from '../../../diff/useShown';
import { draftOf, type StoredState } from '../../../flagState/draft';
import { isSame } from '../../../flagState/isSame';
import { promoted } from '../../../flagState/promoted';
import { undoing } from '../../../flagState/promotionMessages';
import { stateQuery } from '../../../flagState/queries';
import { undoPromotions } from '../../../flagState/undoPromotion';
import { useMe } from '../../../session/me';
import { mayEditRules, mayToggle } from '../../../session/permissions';
import { Dialog } from '../../../ui/Dialog';
import { PartLoading } from '../../../ui/PartLoading';
import { Switch } from '../../../ui/Switch';
import { useOnline } from '../../../ui/useOnline';
import { sayServed } from '../sayServed';
import type { TabProps } from '../tabProps';
import { settings } from './messages';
import { promote } from './queries';

interface PromoteDialogProps extends TabProps {
  source: FlagState;
  target: Environment;
  onClose: () => void;
}

/** The changes that promoting makes in the target, and the fields that it leaves alone. */
export default function PromoteDialog(props: PromoteDialogProps) {
  const { project, flag, environment, target, onClose } = props;
  const { data, error } = useQuery(stateQuery(project.id, flag.key, target.id));
  if (data !== undefined) return <Review {...props} stored={data} />;
  return (
    <Dialog
      title={settings.promoteReviewTitle(flag.key, environment.name, target.name)}
      isOpen
      isWide
      onClose={onClose}
    >
      <PartLoading error={error} height="8rem" />
    </Dialog>
  );
}

function Review({
  project,
  flag,
  environment,
  source,
  target,
  stored,
  onClose,
}: PromoteDialogProps & { stored: StoredState }) {
  const client = useQueryClient();
  const me = useMe();
  const isOnline = useOnline();
  const names = useNames(project.id);
  const [isPending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const { shown, isBehind, catchUp } = useShown(stored);
  const before = draftOf(shown.state);
  const wanted = draftOf(source);
  const [withVariants, setWithVariants] = useState(false);
  const after = promoted(wanted, before, withVariants);
  const hasVariants = !isSame(wanted.variants, before.variants);
  const left = differences({ state: after }, { state: wanted }, names);
  const isUnchanged = differences({ state: before }, { state: after }, names).length === 0;

  async function run(comment: string) {
    setPending(true);
    setRefusal(null);
    const place = { projectID: project.id, flagKey: flag.key };
    const answer = await promote(place, shown.etag, environment.id, target.id, withVariants, comment);
    const refresh = async () => {
      void client.invalidateQueries({ queryKey: ['overview', project.id] });
      await client.invalidateQueries({ queryKey: ['flag', project.id, flag.key] });
    };
    await refresh();
    setPending(false);
    if (answer.ok) {
      const { headers } = answer.response;
      const version = Number(headers.get('etag')?.replaceAll('"', ''));
      const undo = async () => {
        await undoPromotions(project.id, target, [{ key: flag.key, version }]);
        await refresh();
      };
      sayServed(settings.promoted(flag.key, environment.name, target.name), headers, {
        label: undoing.undo(),
        run: () => void undo(),
      });
      onClose();
    } else setRefusal(answer.refusal);
  }

  return (
    <SaveDialog
      title={settings.promoteReviewTitle(flag.key, environment.name, target.name)}
      before={{ state: before }}
      after={{ state: after }}
      names={names}
      refusal={refusal?.kind === 'changed' ? null : refusal}
      save={{
        label: settings.promoteSave(target.name),
        onPress: comment => void run(comment),
        isPending,
        isDisabled: !isOnline || isBehind,
        whyNot: isUnchanged
          ? settings.promoteSame(target.name)
          : mayToggle(me, target.id) && mayEditRules(me, target.id)
            ? undefined
            : settings.mayNotPromote(target.name),
      }}
      onCancel={onClose}
      footnote={
        <div className="stack close">
          <h3>{settings.leftAlone()}</h3>
          <p className="soft">
            {left.length === 0 ? settings.leftAloneSame(target.name) : settings.leftAloneText(target.name)}
          </p>
          {left.length === 0 ? null : <Sentences sentences={left} />}
        </div>
      }
    >
      {isBehind ? <Behind onShow={catchUp} /> : null}
      {hasVariants ? (
        <div className="stack close">
          <Switch label={settings.promoteVariants()} isOn={withVariants} onChange={setWithVariants} />
          <p className="soft small">{settings.promoteVariantsText(target.name)}</p>
        </div>
      ) : null}
    </SaveDialog>
  );
}
