import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Stored } from '../../changeSets/queries';
import { isSame } from '../../flagState/isSame';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { sentence } from '../../messages/format';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { part } from '../../ui/part';
import { Actions } from './Actions';
import { Changes } from './Changes';
import { deedsOf } from './deeds';
import { words } from './messages';
import { type Difference, differenceQuery } from './queries';
import { Reviews } from './Reviews';

const Preview = part(() => import('./Preview'));
const WhatIf = part(() => import('./WhatIf'));

interface ComparedProps {
  project: NamedProject;
  stored: Stored;
}

/**
 * The difference, and below it the review and the application of exactly that. Keeps the one that is shown while another one is there:
 * nobody approves or overwrites what they have not seen.
 */
export function Compared({ project, stored }: ComparedProps) {
  const { data, error } = useQuery({ ...differenceQuery(stored.data), refetchInterval: usePolling() });
  const [kept, setKept] = useState<{ difference: Difference; etag: string }>();
  const isNew = kept === undefined || kept.etag !== stored.etag;
  if (data !== undefined && (isNew || (kept.difference !== data && looksSame(kept.difference, data)))) {
    setKept({ difference: data, etag: stored.etag });
  }
  const shown = kept?.difference ?? data;
  if (shown === undefined) {
    return <PageLoading error={error} height="16rem" />;
  }
  const isBehind = data === undefined || !looksSame(shown, data);
  const at = { project, stored, difference: shown, isBehind };
  return (
    <>
      {data !== undefined && isBehind ? (
        <Banner
          tone="warn"
          actions={
            <Button onPress={() => setKept({ difference: data, etag: stored.etag })}>
              {words.showNow()}
            </Button>
          }
        >
          {words.behind()}
        </Banner>
      ) : null}
      <Standing {...at} />
      <section className="card" aria-labelledby="changes">
        <div className="stack close">
          <h2 id="changes">{words.changes()}</h2>
          <p className="soft">{words.changesText()}</p>
        </div>
        <Changes parts={shown.parts} conflicts={shown.conflicts} />
      </section>
      <Optional>
        <Preview project={project} set={stored.data} />
      </Optional>
      <Optional>
        <WhatIf key={stored.etag} project={project} set={stored.data} />
      </Optional>
      <Reviews {...at} />
      <Actions {...at} />
    </>
  );
}

/** Whether a person sees the same, though the project may have changed elsewhere. */
function looksSame(one: Difference, other: Difference): boolean {
  const { version: _, ...seen } = one;
  const { version: __, ...stored } = other;
  return isSame(seen, stored);
}

/** What keeps it from being applied. */
function Standing({ stored, difference }: { stored: Stored; difference: Difference }) {
  const me = useMe();
  const { protected: environments, required_approvals: required, conflicts, refusal } = difference;
  const mayAct = deedsOf(stored.data, { id: me.user.id, permissions: me.permissions }).includes('apply');
  return (
    <>
      {conflicts.length === 0 ? null : <Banner tone="warn">{words.hasConflicts(conflicts.length)}</Banner>}
      {environments.length === 0 ? null : (
        <Banner tone="note">{words.protectedBy(environments, required)}</Banner>
      )}
      {refusal === null || !mayAct ? null : (
        <Banner tone="warn">{words.mayNotApply(sentence(refusal))}</Banner>
      )}
    </>
  );
}
