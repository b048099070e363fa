import { t } from '../messages/en';
import { keys as words } from '../messages/keys';
import styles from '../palette/Palette.module.css';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { Switch } from '../ui/Switch';
import { useAllCommands } from './commands';
import { useSingleKeys } from './preferences';

/** All keys of the page that is open, and the switch that turns single keys off. */
export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const commands = useAllCommands().filter(command => command.keys !== undefined);
  const [isOn, setOn] = useSingleKeys();
  return (
    <Dialog title={t.frame.keys()} isOpen onClose={onClose}>
      <p className="soft">{words.text()}</p>
      <dl className={styles.keys}>
        <Keys title={t.palette.open()} keys={['Ctrl', 'K']} />
        {commands.map(command => (
          <Keys key={command.id} title={command.title} keys={command.keys?.split(' ') ?? []} />
        ))}
      </dl>
      <Switch label={t.frame.singleKeys()} isOn={isOn} onChange={setOn} />
      <DialogActions>
        <Button onPress={onClose}>{t.common.close()}</Button>
      </DialogActions>
    </Dialog>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly string[] }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className="row">
        {keys.map(key => (
          <kbd key={key} className={styles.key}>
            {key}
          </kbd>
        ))}
      </dd>
    </div>
  );
}
