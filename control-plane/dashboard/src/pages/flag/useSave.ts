import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Environment, Flag } from '../../api/model';
import type { Refusal } from '../../api/refusal';
import type { DraftOfState } from '../../flagState/draft';
import { patchOf } from '../../flagState/patch';
import { stateQuery } from '../../flagState/queries';
import { requestApproval, saveState } from '../../flagState/save';
import { names } from '../../fleet/edges';
import type { NamedProject } from '../../frame/project';
import { list } from '../../messages/format';
import { say, warn } from '../../ui/say';
import { ruleWords } from './targeting/messages';

interface Where {
  project: NamedProject;
  flag: Flag;
  environment: Environment;
}

/** Saving a draft, or asking for it. What is refused is answered; `null` when it is done. */
export function useSave({ project, flag, environment }: Where, { base, etag, draft, reset }: DraftOfState) {
  const client = useQueryClient();
  const [pending, setPending] = useState<'save' | 'request' | null>(null);
  const [sentAt, setSentAt] = useState(0);
  const query = stateQuery(project.id, flag.key, environment.id);

  async function save(comment: string): Promise<Refusal | null> {
    setPending('save');
    setSentAt(performance.now());
    const place = { projectID: project.id, flagKey: flag.key, envID: environment.id };
    const answer = await saveState(place, etag, patchOf(base, draft), comment);
    if (!answer.ok) {
      // The other change has to be loaded before it can be merged with this one.
      if (answer.refusal.kind === 'changed') await client.refetchQueries({ queryKey: query.queryKey });
      setPending(null);
      return answer.refusal;
    }
    await client.cancelQueries({ queryKey: query.queryKey });
    const { headers } = answer.response;
    client.setQueryData(query.queryKey, { state: answer.data, etag: headers.get('etag') ?? '' });
    reset();
    setPending(null);
    const lagging = names(headers.get('x-edges-lagging'));
    const served = names(headers.get('x-edges-acknowledged')).length;
    if (lagging.length > 0) warn(ruleWords.savedLagging(flag.key, environment.name, list(lagging)));
    else say(ruleWords.saved(flag.key, environment.name, served));
    await Promise.all([
      client.invalidateQueries({ queryKey: ['overview', project.id] }),
      client.invalidateQueries({ queryKey: ['grants', project.id] }),
      client.invalidateQueries({ queryKey: ['flag', project.id, flag.key] }),
    ]);
    return null;
  }

  async function request(comment: string): Promise<Refusal | null> {
    setPending('request');
    const answer = await requestApproval(flag.id, environment.id, patchOf(base, draft), comment.trim());
    setPending(null);
    if (!answer.ok) return answer.refusal;
    reset();
    say(ruleWords.requested(environment.name), {
      label: ruleWords.openRequest(),
      link: { to: '/approvals/$id', params: { id: answer.data.id } },
    });
    await Promise.all([
      client.invalidateQueries({ queryKey: ['overview', project.id] }),
      client.invalidateQueries({ queryKey: ['approvals'] }),
    ]);
    return null;
  }

  return { pending, sentAt, save, request };
}
