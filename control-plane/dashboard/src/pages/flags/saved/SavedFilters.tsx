import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useMe } from '../../../session/me';
import { Button, IconButton } from '../../../ui/Button';
import { Dialog, DialogActions } from '../../../ui/Dialog';
import { TextField } from '../../../ui/Field';
import { Value } from '../../../ui/Value';
import { type FlagsSearch, isFiltered } from '../urlState';
import { savedWords } from './messages';
import styles from './Saved.module.css';
import { LONGEST_NAME, useSavedFilters, withFilter } from './saved';

interface SavedFiltersProps {
  projectId: string;
  search: FlagsSearch;
  onClose: () => void;
}

/** Opens and deletes filters that were named, and names the present ones. */
export default function SavedFilters({ projectId, search, onClose }: SavedFiltersProps) {
  // A session that ended by itself may be followed by another user's.
  const { filters, set } = useSavedFilters(`${useMe().user.id} ${projectId}`);
  const [name, setName] = useState('');
  const next = withFilter(filters, { name, search });

  function save(event: FormEvent) {
    event.preventDefault();
    if (next === null) return;
    set(next);
    setName('');
  }

  return (
    <Dialog title={savedWords.title()} isOpen onClose={onClose}>
      <p className="soft">{savedWords.text()}</p>
      {filters.length === 0 ? (
        <p>{savedWords.none()}</p>
      ) : (
        <ul className={styles.list} aria-label={savedWords.list()}>
          {filters.map(filter => (
            <li key={filter.name} className={styles.line}>
              <Link from="/p/$project/flags" to="." search={filter.search} onClick={onClose}>
                <Value>{filter.name}</Value>
              </Link>
              <IconButton
                label={savedWords.remove(filter.name)}
                onPress={() => set(filters.filter(other => other !== filter))}
              >
                <Trash2 size={16} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {isFiltered(search) ? (
        <form onSubmit={save} className="stack close">
          <TextField
            label={savedWords.name()}
            description={name.trim() !== '' && next === null ? savedWords.noRoom() : savedWords.nameText()}
            value={name}
            onChange={setName}
            maxLength={LONGEST_NAME}
            autoComplete="off"
            autoFocus
          />
          <div>
            <Button type="submit" look="primary" isDisabled={next === null}>
              {savedWords.save()}
            </Button>
          </div>
        </form>
      ) : (
        <p className="soft">{savedWords.unfiltered()}</p>
      )}
      <DialogActions>
        <Button onPress={onClose}>{savedWords.close()}</Button>
      </DialogActions>
    </Dialog>
  );
}
