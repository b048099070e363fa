import { Plus } from 'lucide-react';
import { useState } from 'react';
import { MayNot, useMay } from '../../parts/MayNot';
import { Button } from '../../ui/Button';
import { Curl } from '../../ui/Curl';
import { Empty } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { projects as words } from './messages';

const NewProject = part(() => import('./NewProject'));

const EXAMPLE = { method: 'POST', path: '/v1/projects', body: { name: 'Shop' } } as const;

/** In place of a page that needs a project, where the organization has none. */
export default function NoProject() {
  const mayCreate = useMay('projects.create');
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <Empty
        isPage
        title={words.noneTitle()}
        action={
          <>
            <MayNot permit="projects.create" />
            <Button look="primary" isDisabled={!mayCreate} onPress={() => setCreating(true)}>
              <Plus size={16} aria-hidden />
              {words.create()}
            </Button>
          </>
        }
        api={<Curl {...EXAMPLE} />}
      >
        {words.none()}
      </Empty>
      <Optional onClose={() => setCreating(false)}>
        {isCreating ? <NewProject onClose={() => setCreating(false)} /> : null}
      </Optional>
    </>
  );
}
