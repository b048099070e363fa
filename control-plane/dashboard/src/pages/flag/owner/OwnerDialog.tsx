import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { Flag } from '../../../api/model';
import { ownFieldsQuery } from '../../../flagState/ownFields';
import type { NamedProject } from '../../../frame/project';
import { t } from '../../../messages/en';
import { Combo } from '../../../parts/Combo';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { Dialog, DialogActions } from '../../../ui/Dialog';
import { Banner } from '../../../ui/Feedback';
import { refusalText } from '../../../ui/refusalText';
import { say } from '../../../ui/say';
import { useOnline } from '../../../ui/useOnline';
import { ownerDialog as words } from './dialogMessages';
import { foundQuery, setOwner } from './dialogQueries';

interface OwnerDialogProps {
  project: NamedProject;
  flag: Flag;
  onClose: () => void;
}

/** Chooses the member who looks after a flag. */
export default function OwnerDialog({ project, flag, onClose }: OwnerDialogProps) {
  const client = useQueryClient();
  const { user } = useMe();
  const isOnline = useOnline();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<{ id: string; name: string } | null>(null);
  const [isPending, setPending] = useState(false);
  const [why, setWhy] = useState<string | null>(null);
  const own = useQuery(ownFieldsQuery(project.id, flag.key));
  const text = useDeferredValue(chosen === null ? typed.trim() : '');
  const found = useQuery(foundQuery(text)).data ?? [];

  async function save(id: string | null, name: string | null) {
    if (own.data === undefined) return;
    setPending(true);
    const answer = await setOwner(project.id, flag.key, own.data.etag, id);
    await client.invalidateQueries({ queryKey: ['flag', project.id, flag.key] });
    void client.invalidateQueries({ queryKey: ['overview', project.id] });
    setPending(false);
    if (!answer.ok) {
      setWhy(answer.refusal.kind === 'changed' ? words.changed() : refusalText(answer.refusal));
      return;
    }
    say(words.saved(flag.key, name));
    onClose();
  }

  const isBlocked = isPending || !isOnline || own.data === undefined;
  return (
    <Dialog title={words.title(flag.key)} isOpen onClose={onClose}>
      {why === null ? null : <Banner tone="bad">{why}</Banner>}
      <p>{words.text()}</p>
      <Combo
        isSearched
        autoFocus
        label={words.member()}
        placeholder={words.placeholder()}
        choices={found.map(({ member_id, name, email }) => ({
          id: member_id,
          text: name,
          label: words.choice(name, email),
        }))}
        value={typed}
        onChange={next => {
          setTyped(next);
          if (next !== chosen?.name) setChosen(null);
        }}
        onChoose={id => {
          const member = found.find(({ member_id }) => member_id === id);
          if (member === undefined) return;
          setChosen({ id, name: member.name });
          setTyped(member.name);
        }}
        error={typed !== '' && chosen === null && found.length === 0 ? words.nobody() : undefined}
      />
      <div className="row">
        <Button isDisabled={isBlocked} onPress={() => void save('me', user.name)}>
          {words.me()}
        </Button>
        {flag.owner_id === null ? null : (
          <Button isDisabled={isBlocked} onPress={() => void save(null, null)}>
            {words.remove()}
          </Button>
        )}
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t.common.cancel()}</Button>
        <Button
          look="primary"
          isPending={isPending}
          isDisabled={isBlocked || chosen === null}
          onPress={() => chosen !== null && void save(chosen.id, chosen.name)}
        >
          {words.save()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
