import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { Refusal } from '../../api/refusal';
import { conflictAt } from '../../parts/keyConflict';
import { MayNot, useMay } from '../../parts/MayNot';
import { NameFields, useNewNames } from '../../parts/NameFields';
import { PlanLimit, useProjectLimit } from '../../parts/PlanLimit';
import { usageQuery } from '../../parts/usage';
import { meQuery } from '../../session/me';
import { FormDialog } from '../../ui/FormDialog';
import { say, warn } from '../../ui/say';
import { projects as words } from './messages';
import { createEnvironments, createProject } from './queries';

/** Makes a project with two environments, as those who sign up get some; without them no flag could be switched on. */
export default function NewProject({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const router = useRouter();
  const names = useNewNames('slug');
  const limit = useProjectLimit();
  const mayCreate = useMay('projects.create') && limit?.isReached !== true;

  async function submit(): Promise<Refusal | null> {
    const answer = await createProject({ name: names.name, slug: names.handle });
    if (!answer.ok) return answer.refusal;
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    void client.invalidateQueries({ queryKey: usageQuery.queryKey });
    const isReady = await createEnvironments(answer.data.id);
    if (isReady) say(words.created(answer.data.name));
    else warn(words.createdBare(answer.data.name));
    onClose();
    const to = isReady ? '/p/$project/flags' : '/p/$project/environments';
    void router.navigate({ to, params: { project: answer.data.slug } });
    return null;
  }

  return (
    <FormDialog
      title={words.create()}
      submit={words.create()}
      isReady={mayCreate}
      onSubmit={submit}
      explain={conflictAt('slug')}
      onClose={onClose}
    >
      <p className="soft">{words.createText()}</p>
      <MayNot permit="projects.create" />
      <PlanLimit limit={limit} what="projects" />
      <NameFields by="slug" description={words.slugText()} {...names} autoFocus />
    </FormDialog>
  );
}
