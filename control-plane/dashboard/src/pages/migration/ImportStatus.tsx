import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { NamedProject } from '../../frame/project';
import { sentence } from '../../messages/format';
import { Button, buttonClass } from '../../ui/Button';
import { ConfirmDialog } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { say, warn } from '../../ui/say';
import styles from './Migration.module.css';
import { migration as words } from './messages';
import { endMigration, type Status, statusQuery } from './queries';

interface ImportStatusProps {
  status: Status;
  /** Where to; `null` if that project is gone. */
  project: NamedProject | null;
}

/** How far an import is, or how it ended. */
export function ImportStatus({ status, project }: ImportStatusProps) {
  const { flags_imported, flags_total, environments_imported, segments_imported } = status;
  const isRunning = status.status === 'in_progress';
  return (
    <section className="card" aria-labelledby="import-status">
      <h2 id="import-status">{words.progress()}</h2>
      {isRunning ? <Banner tone="note">{words.running()}</Banner> : null}
      {status.status === 'completed' ? (
        <Banner tone="good">{words.completed(project?.name ?? null)}</Banner>
      ) : null}
      {status.status === 'failed' ? <Banner tone="warn">{words.failed(reasonOf(status))}</Banner> : null}
      {isRunning ? (
        <>
          <progress
            className={styles.progress}
            aria-label={words.progress()}
            max={Math.max(flags_total, 1)}
            value={flags_imported}
          />
          <p role="status">{words.progressText(flags_imported, flags_total)}</p>
        </>
      ) : null}
      <dl className={styles.facts}>
        <div>
          <dt>{words.importedFlags()}</dt>
          <dd>{words.flagsOf(flags_imported, flags_total)}</dd>
        </div>
        <div>
          <dt>{words.importedEnvironments()}</dt>
          <dd>{words.count(environments_imported)}</dd>
        </div>
        <div>
          <dt>{words.importedSegments()}</dt>
          <dd>{words.count(segments_imported)}</dd>
        </div>
      </dl>
      {isRunning ? <Stop id={status.migration_id} /> : null}
      {!isRunning && project !== null ? (
        <>
          <h3>{words.next()}</h3>
          <p>{words.nextText()}</p>
          <div>
            <Link
              to="/p/$project/flags"
              params={{ project: project.slug }}
              className={buttonClass('primary')}
            >
              {words.toFlags()}
            </Link>
          </div>
        </>
      ) : null}
    </section>
  );
}

/** Why it failed: the one entry that names no item. */
function reasonOf({ errors }: Status): string {
  const reason = errors.find(entry => !('flag' in entry || 'segment' in entry || 'environment' in entry));
  return reason === undefined ? words.noReason() : sentence(reason.error);
}

function Stop({ id }: { id: string }) {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [isPending, setPending] = useState(false);

  async function stop() {
    setPending(true);
    const answer = await endMigration(id);
    setPending(false);
    setOpen(false);
    if (answer.ok) say(words.stopped());
    else warn(refusalText(answer.refusal));
    await client.invalidateQueries({ queryKey: statusQuery(id).queryKey });
  }

  return (
    <div>
      <Button onPress={() => setOpen(true)}>{words.stop()}</Button>
      <ConfirmDialog
        title={words.stopTitle()}
        confirm={words.stop()}
        isOpen={isOpen}
        isPending={isPending}
        onConfirm={() => void stop()}
        onClose={() => setOpen(false)}
      >
        <p>{words.stopText()}</p>
      </ConfirmDialog>
    </div>
  );
}
