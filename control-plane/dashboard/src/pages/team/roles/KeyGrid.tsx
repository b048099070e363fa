import { Button } from '../../../ui/Button';
import { GROUPS, openTo, withGroup, withKey } from './keys';
import { roles as words } from './messages';
import styles from './Roles.module.css';

interface KeyGridProps {
  keys: readonly string[];
  isReadOnly: boolean;
  onChange: (keys: readonly string[]) => void;
}

/** The permission keys in groups, each in words, with the roles that can use it where developers cannot. */
export function KeyGrid({ keys, isReadOnly, onChange }: KeyGridProps) {
  return (
    <div className={styles.groups}>
      {GROUPS.map(group => {
        const title = words.group(group.id);
        const isWhole = group.keys.every(key => keys.includes(key));
        return (
          <fieldset key={group.id} className={styles.group}>
            <legend>{title}</legend>
            {group.keys.map(key => (
              <label key={key} className={styles.key}>
                <input
                  type="checkbox"
                  checked={keys.includes(key)}
                  disabled={isReadOnly}
                  onChange={event => onChange(withKey(keys, key, event.currentTarget.checked))}
                />
                <span>
                  {words.key(key)}
                  {openTo(key).includes('developer') ? null : (
                    <span className={styles.hint}>{words.only(openTo(key))}</span>
                  )}
                </span>
              </label>
            ))}
            {isReadOnly || group.keys.length < 2 ? null : (
              <div>
                <Button
                  look="quiet"
                  aria-label={isWhole ? words.selectNoneOf(title) : words.selectAllOf(title)}
                  onPress={() => onChange(withGroup(keys, group))}
                >
                  {isWhole ? words.selectNone() : words.selectAll()}
                </Button>
              </div>
            )}
          </fieldset>
        );
      })}
    </div>
  );
}
