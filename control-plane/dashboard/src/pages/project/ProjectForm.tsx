import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { changedFields } from '../../diff/mergeFields';
import type { NamedProject } from '../../frame/project';
import { conflictAt } from '../../parts/keyConflict';
import { useMay } from '../../parts/MayNot';
import { shared } from '../../parts/messages';
import { NameFields } from '../../parts/NameFields';
import { meQuery } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { projects as words } from './messages';
import { updateProject } from './queries';

/** The API has no versions of projects, so only what was changed here is sent. */
export function ProjectForm({ project }: { project: NamedProject }) {
  const client = useQueryClient();
  const router = useRouter();
  const mayEdit = useMay('projects.create');
  const [name, setName] = useState(project.name);
  const [slug, setSlug] = useState(project.slug);
  const changes = changedFields({ name: project.name, slug: project.slug }, { name, slug });
  const isChanged = Object.keys(changes).length > 0;

  async function submit(): Promise<Refusal | null> {
    if (!isChanged) return null;
    const answer = await updateProject(project.id, changes);
    if (!answer.ok) return answer.refusal;
    say(words.saved(answer.data.name));
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    if (answer.data.slug !== project.slug) {
      void router.navigate({
        to: '/p/$project/settings',
        params: { project: answer.data.slug },
        replace: true,
      });
    }
    return null;
  }

  return (
    <ServerForm label={words.general()} onSubmit={submit} explain={conflictAt('slug')}>
      {({ isPending, isWaiting }) => (
        <>
          <NameFields
            by="slug"
            description={words.slugText()}
            name={name}
            onName={setName}
            handle={slug}
            onHandle={setSlug}
            isReadOnly={!mayEdit}
          />
          {slug !== project.slug && slug !== '' ? (
            <Banner tone="warn">{words.slugChange(project.slug, slug)}</Banner>
          ) : null}
          <div>
            <Button
              type="submit"
              look="primary"
              isPending={isPending}
              isDisabled={isWaiting || !mayEdit || !isChanged}
            >
              {shared.save()}
            </Button>
          </div>
        </>
      )}
    </ServerForm>
  );
}
