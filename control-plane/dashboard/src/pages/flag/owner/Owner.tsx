import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { UserRound } from 'lucide-react';
import { useState } from 'react';
import type { Flag } from '../../../api/model';
import type { NamedProject } from '../../../frame/project';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { Optional } from '../../../ui/Optional';
import { part } from '../../../ui/part';
import { Value } from '../../../ui/Value';
import styles from '../Flag.module.css';
import { owner as words } from './messages';
import { memberQuery } from './queries';

const OwnerDialog = part(() => import('./OwnerDialog'));

interface OwnerProps {
  project: NamedProject;
  flag: Flag;
}

/** Who looks after the flag, as a link to them, and the way to change that. */
export function Owner({ project, flag }: OwnerProps) {
  const { permissions } = useMe();
  const [isOpen, setOpen] = useState(false);
  const { owner_id: id, archived_at } = flag;
  const { data } = useQuery({
    ...memberQuery(id ?? ''),
    enabled: id !== null && permissions.includes('members.read'),
  });
  const mayChange =
    permissions.includes('flags.update') && permissions.includes('members.read') && archived_at == null;
  return (
    <span className={styles.related}>
      <UserRound size={16} aria-hidden />
      {id === null ? (
        <span className="soft">{words.unowned()}</span>
      ) : data === undefined ? (
        <span className="soft">{words.owner()}</span>
      ) : data === null ? (
        <span className="soft">{words.ofFlag(words.former())}</span>
      ) : (
        <Link to="/team/$member" params={{ member: id }}>
          <Value>{words.ofFlag(data.name)}</Value>
        </Link>
      )}
      {mayChange ? (
        <Button look="quiet" onPress={() => setOpen(true)}>
          {id === null ? words.set() : words.change()}
        </Button>
      ) : null}
      <Optional onClose={() => setOpen(false)}>
        {isOpen ? <OwnerDialog project={project} flag={flag} onClose={() => setOpen(false)} /> : null}
      </Optional>
    </span>
  );
}
