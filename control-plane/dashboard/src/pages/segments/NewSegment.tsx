import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { Refusal } from '../../api/refusal';
import type { NamedProject } from '../../frame/project';
import { conflictAt } from '../../parts/keyConflict';
import { NameFields, useNewNames } from '../../parts/NameFields';
import { TextField } from '../../ui/Field';
import { FormDialog } from '../../ui/FormDialog';
import { say } from '../../ui/say';
import { segments as words } from './messages';
import { createSegment } from './queries';

interface NewSegmentProps {
  project: NamedProject;
  onClose: () => void;
}

/** A segment starts without conditions, and matches no one until they are written on its page. */
export function NewSegment({ project, onClose }: NewSegmentProps) {
  const client = useQueryClient();
  const router = useRouter();
  const names = useNewNames('key');
  const { name, handle: key } = names;

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const answer = await createSegment(project.id, {
      key,
      name,
      description: fields.description ?? '',
      rules: [],
    });
    if (!answer.ok) return answer.refusal;
    say(words.created(key));
    onClose();
    void client.invalidateQueries({ queryKey: ['segments', project.id] });
    void router.navigate({ to: '/p/$project/segments/$key', params: { project: project.slug, key } });
    return null;
  }

  return (
    <FormDialog
      title={words.create()}
      submit={words.create()}
      onSubmit={submit}
      explain={conflictAt('key')}
      onClose={onClose}
    >
      <NameFields by="key" description={words.keyText()} {...names} autoFocus />
      <TextField name="description" label={words.description()} autoComplete="off" maxLength={2000} />
    </FormDialog>
  );
}
