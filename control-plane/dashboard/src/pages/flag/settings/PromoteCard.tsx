import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useDraft } from '../../../flagState/draft';
import { environmentsQuery } from '../../../frame/environments';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { Optional } from '../../../ui/Optional';
import { part } from '../../../ui/part';
import { Select } from '../../../ui/Select';
import type { TabProps } from '../tabProps';
import { settings } from './messages';
import styles from './Settings.module.css';

const PromoteDialog = part(() => import('./PromoteDialog'));

/** Copies the state of the environment that is open to another one. */
export function PromoteCard({ project, flag, environment }: TabProps) {
  const me = useMe();
  const { stored, isDirty } = useDraft();
  const { data } = useQuery(environmentsQuery(project.id));
  const [chosen, setChosen] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const targets = (data?.data ?? []).filter(({ id }) => id !== environment.id);
  const target = targets.find(({ id }) => id === chosen) ?? targets[0];
  const source = 'rules' in stored.state ? stored.state : null;

  if (!me.permissions.includes('flags.promote')) return null;
  return (
    <section className="card" aria-labelledby="promote">
      <h2 id="promote">{settings.promoteTitle()}</h2>
      <p>{settings.promoteText(environment.name)}</p>
      {source === null ? (
        <p className="soft">{settings.promoteNothing(environment.name)}</p>
      ) : target === undefined ? (
        <p className="soft">{settings.promoteNowhere()}</p>
      ) : (
        <>
          {isDirty ? <p className="soft">{settings.promoteDraft()}</p> : null}
          <div className={styles.target}>
            <Select
              label={settings.target()}
              choices={targets.map(({ id, name }) => ({ id, label: name }))}
              value={target.id}
              onChange={setChosen}
            />
          </div>
          <div>
            <Button onPress={() => setOpen(true)}>{settings.promoteReview()}</Button>
          </div>
          <Optional onClose={() => setOpen(false)}>
            {isOpen ? (
              <PromoteDialog
                project={project}
                flag={flag}
                environment={environment}
                source={source}
                target={target}
                onClose={() => setOpen(false)}
              />
            ) : null}
          </Optional>
        </>
      )}
    </section>
  );
}
