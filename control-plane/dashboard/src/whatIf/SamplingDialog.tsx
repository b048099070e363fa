import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Environment } from '../api/model';
import type { Refusal } from '../api/refusal';
import { ChipsField } from '../conditions/ChipsField';
import { attributesOf } from '../conditions/edit';
import { isSame } from '../flagState/isSame';
import { segmentsQuery } from '../flagState/queries';
import { t } from '../messages/en';
import { MayNot } from '../parts/MayNot';
import { shared } from '../parts/messages';
import { Radios } from '../parts/Radios';
import { useMe } from '../session/me';
import { Button } from '../ui/Button';
import { DialogActions } from '../ui/Dialog';
import { Banner } from '../ui/Feedback';
import { ServerForm } from '../ui/ServerForm';
import { StoredDialog } from '../ui/StoredDialog';
import { Switch } from '../ui/Switch';
import { say } from '../ui/say';
import { maySample } from './may';
import { replaceSampling, type Sampling, samplingQuery } from './queries';
import { sampling as words } from './samplingMessages';

const KEYS = ['hashed', 'plain'] as const;
/** Suggestions that are shown. */
const MOST_SUGGESTED = 10;

interface SamplingProps {
  projectId: string;
  environment: Environment;
  onClose: () => void;
}

/** Whether edges keep samples of an environment's requests, and what of them. Who may not change it reads it. */
export default function SamplingDialog(props: SamplingProps) {
  const { projectId, environment, onClose } = props;
  return (
    <StoredDialog
      title={words.title(environment.name)}
      query={samplingQuery(projectId, environment.id)}
      onClose={onClose}
    >
      {stored => <Form {...props} stored={stored} />}
    </StoredDialog>
  );
}

/** What is stored when it opens is edited; whoever saves last decides. */
function Form({ projectId, environment, onClose, stored: now }: SamplingProps & { stored: Sampling }) {
  const client = useQueryClient();
  const mayChange = maySample(useMe(), environment);
  const [stored] = useState(now);
  const [fields, setFields] = useState({
    enabled: stored.enabled,
    attributes: stored.attributes,
    keys: stored.keys,
  });
  const change = (next: Partial<typeof fields>) => setFields({ ...fields, ...next });
  const { enabled, attributes, keys } = fields;
  const isSameKept = keys === stored.keys && isSame([...attributes].sort(), stored.attributes);

  async function submit(): Promise<Refusal | null> {
    const answer = await replaceSampling(projectId, environment.id, fields);
    if (!answer.ok) return answer.refusal;
    client.setQueryData(samplingQuery(projectId, environment.id).queryKey, answer.data);
    say(words.saved(environment.name, enabled));
    onClose();
    return null;
  }

  return (
    <ServerForm label={words.title(environment.name)} onSubmit={submit}>
      {({ isPending, isWaiting }) => (
        <>
          <MayNot permit="environments.create" />
          {!mayChange && environment.protected ? (
            <Banner tone="note">{words.guarded(environment.name)}</Banner>
          ) : null}
          <p>{words.text()}</p>
          <p>{words.kept()}</p>
          <Switch
            label={words.enabled()}
            isOn={enabled}
            isDisabled={!mayChange}
            onChange={isOn => change({ enabled: isOn })}
          />
          {stored.enabled_at === null ? null : <p className="soft">{words.since(stored.enabled_at)}</p>}
          <Attributes
            projectId={projectId}
            names={attributes}
            isDisabled={!mayChange}
            onChange={names => change({ attributes: names })}
          />
          <Radios
            label={words.keys()}
            choices={KEYS.map(id => ({ id, label: words.keysOf[id], hint: words.keysText[id] }))}
            value={keys}
            isDisabled={!mayChange}
            onChange={id => change({ keys: id })}
          />
          {stored.enabled && (!enabled || !isSameKept) ? (
            <Banner tone="warn">{words.drops(enabled)}</Banner>
          ) : null}
          <DialogActions>
            <Button onPress={onClose}>{mayChange ? t.common.cancel() : t.common.close()}</Button>
            {mayChange ? (
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {shared.save()}
              </Button>
            ) : null}
          </DialogActions>
        </>
      )}
    </ServerForm>
  );
}

interface AttributesProps {
  projectId: string;
  names: readonly string[];
  isDisabled: boolean;
  onChange: (names: string[]) => void;
}

/** The attributes that are kept; those that segments ask for are a press away. */
function Attributes({ projectId, names, isDisabled, onChange }: AttributesProps) {
  const mayRead = useMe().permissions.includes('segments.read');
  const { data } = useQuery({ ...segmentsQuery(projectId), enabled: mayRead && !isDisabled });
  const asked = attributesOf((data?.segments ?? []).flatMap(({ rules }) => rules));
  const known = asked.filter(name => name !== 'key' && !names.includes(name)).slice(0, MOST_SUGGESTED);
  return (
    <div className="stack close">
      <p>{words.attributes()}</p>
      <p className="soft small">{words.attributesText()}</p>
      <ChipsField
        label={words.attributes()}
        placeholder={words.attributesPlaceholder()}
        values={names}
        isDisabled={isDisabled}
        onChange={onChange}
      />
      {known.length === 0 ? null : (
        <div className="row">
          <span className="soft small">{words.suggestions()}</span>
          {known.map(name => (
            <Button key={name} look="quiet" onPress={() => onChange([...names, name])}>
              {words.add(name)}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
