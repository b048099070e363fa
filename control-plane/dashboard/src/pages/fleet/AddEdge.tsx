import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { Code } from '../../parts/Code';
import { Button, Spinner } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Select } from '../../ui/Select';
import { ServerForm } from '../../ui/ServerForm';
import { enrollCommand } from './commands';
import { Downloads } from './Downloads';
import { edgePage as words } from './edgeMessages';
import styles from './Fleet.module.css';
import { type EdgeList, type EnrolledEdge, enrollEdge } from './queries';

const ALL = 'all';

interface AddEdgeProps {
  list: EdgeList;
  onClose: () => void;
}

/** Enrolls an edge, or says how an operator does, and waits for it to join. */
export function AddEdge({ list, onClose }: AddEdgeProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [region, setRegion] = useState(ALL);
  const [made, setMade] = useState<EnrolledEdge | null>(null);
  if (made !== null) return <Files made={made} list={list} onClose={onClose} />;

  const fields = (
    <>
      <TextField
        label={words.name()}
        description={words.nameText()}
        name="name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        autoComplete="off"
      />
      <Select
        label={words.region()}
        description={words.regionText()}
        choices={[{ id: ALL, label: words.allRegions() }, ...list.regions.map(id => ({ id, label: id }))]}
        value={region}
        onChange={setRegion}
      />
    </>
  );
  if (!list.may_enroll) {
    const command = enrollCommand(name, region === ALL ? null : region);
    return (
      <Dialog title={words.addTitle()} isOpen isWide onClose={onClose}>
        <div className="stack">
          {fields}
          <p>{words.addAsk()}</p>
          <Code label={words.commandLabel()} text={command} copy={words.copyCommand()} isWrapped />
          {name.trim() === '' ? null : <Joining name={name.trim()} list={list} />}
        </div>
        <DialogActions>
          <Button onPress={onClose}>{words.close()}</Button>
        </DialogActions>
      </Dialog>
    );
  }
  async function add() {
    const body = { name: name.trim(), ...(region === ALL ? {} : { region }) };
    const result = await enrollEdge(body);
    if (!result.ok) return result.refusal;
    setMade(result.data);
    void client.invalidateQueries({ queryKey: ['edges'] });
    return null;
  }
  return (
    <Dialog title={words.addTitle()} isOpen onClose={onClose}>
      <p className="soft">{words.addText()}</p>
      <ServerForm
        label={words.addTitle()}
        onSubmit={add}
        explain={refusal => (refusal.kind === 'conflict' ? { field: 'name' } : null)}
      >
        {({ isPending, isWaiting }) => (
          <>
            {fields}
            <DialogActions>
              <Button onPress={onClose}>{words.close()}</Button>
              <Button look="primary" type="submit" isPending={isPending} isDisabled={isWaiting}>
                {words.add()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}

/** The files, this once. They are in the state of this dialog and nowhere else. */
function Files({ made, list, onClose }: { made: EnrolledEdge; list: EdgeList; onClose: () => void }) {
  const { name, expires_at, command } = made;
  return (
    <Dialog title={words.filesTitle(name)} isOpen isKept isWide onClose={onClose}>
      <div className="stack">
        <Banner tone="warn">{words.filesText(name)}</Banner>
        <Downloads made={made} />
        <p className="soft small">{words.until(expires_at)}</p>
        <h3>{words.startTitle()}</h3>
        <p className="soft">{words.startText()}</p>
        <Code label={words.commandLabel()} text={command} copy={words.copyCommand()} />
        <Joining name={name} list={list} />
      </div>
      <DialogActions>
        <Button look="primary" onPress={onClose}>
          {words.saved()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Turns green when the edge is connected, as the list of the page tells. */
function Joining({ name, list }: { name: string; list: EdgeList }) {
  const isThere = list.data.some(edge => edge.name === name && edge.connected);
  return (
    <p className={styles.joined} data-joined={isThere} role="status">
      {isThere ? <CircleCheck size={18} aria-hidden /> : <Spinner />}
      {isThere ? words.joined(name) : words.waiting(name)}
    </p>
  );
}
