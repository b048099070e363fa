import { useQuery } from '@tanstack/react-query';
import type { Refusal } from '../../api/refusal';
import { changedFields } from '../../diff/mergeFields';
import { Sentences } from '../../diff/Sentences';
import { environmentsQuery } from '../../frame/environments';
import type { NamedProject } from '../../frame/project';
import { t } from '../../messages/en';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { Banner, Loading, Skeleton } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { ServerForm } from '../../ui/ServerForm';
import { changesMembership, segmentDifferences } from './differences';
import { segments as words } from './messages';
import { type SegmentFields, usesQuery } from './queries';
import { UseList } from './UseList';
import { countUses, isUsedIn } from './uses';

const WhatIf = part(() => import('../../whatIf/WhatIf'));

interface ReviewDialogProps {
  project: NamedProject;
  segmentKey: string;
  before: SegmentFields;
  after: SegmentFields;
  onSave: () => Promise<Refusal | null>;
  onClose: () => void;
}

/** The effect of a save on people, to confirm it. */
export function ReviewDialog({ project, segmentKey, before, after, onSave, onClose }: ReviewDialogProps) {
  const uses = useQuery({ ...usesQuery(project.id, segmentKey), staleTime: 0 });
  const environments = useQuery(environmentsQuery(project.id)).data?.data ?? [];
  const count = uses.data === undefined ? null : countUses(uses.data);
  return (
    <Dialog title={words.reviewTitle(segmentKey)} isOpen isWide onClose={onClose}>
      <ServerForm label={words.reviewTitle(segmentKey)} onSubmit={onSave}>
        {({ isPending, isWaiting }) => (
          <>
            <section className="stack close">
              <h3>{words.changes()}</h3>
              <Sentences sentences={segmentDifferences(before, after)} />
            </section>
            {!changesMembership(before, after) ? (
              <p className="soft">{words.reviewNamesOnly()}</p>
            ) : uses.data === undefined || count === null ? (
              uses.isError ? null : (
                <Loading>
                  <Skeleton height="4rem" />
                </Loading>
              )
            ) : uses.data.total === 0 ? (
              <p className="soft">{words.reviewNoUse()}</p>
            ) : (
              <>
                <Banner tone="warn">{words.reviewChange(count.flags, count.environments)}</Banner>
                <UseList project={project} uses={uses.data} />
                <Optional isSilent>
                  <WhatIf
                    project={project}
                    environments={environments.filter(({ id }) => isUsedIn(uses.data, id))}
                    draft={{ changes: { segments: [{ key: segmentKey, ...changedFields(before, after) }] } }}
                  />
                </Optional>
              </>
            )}
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button
                type="submit"
                look="primary"
                isPending={isPending}
                isDisabled={isWaiting || uses.isPending}
              >
                {words.save()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
