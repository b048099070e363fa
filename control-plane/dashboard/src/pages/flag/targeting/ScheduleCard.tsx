import { X } from 'lucide-react';
import { useState } from 'react';
import { useDraft } from '../../../flagState/draft';
import { EditField } from '../../../parts/Fields';
import { Button, IconButton } from '../../../ui/Button';
import { useEditor, useProblem } from './editor';
import { ruleWords } from './messages';
import styles from './Rules.module.css';
import { doesNothing, instant, localTime, QUICK, quickTime, zoneName } from './times';

/** When the flag turns itself on or off. */
export function ScheduleCard() {
  const { draft, set } = useDraft();
  const [zone] = useState(() => zoneName(new Date()));
  const idle = doesNothing(draft);
  return (
    <section className={styles.section} aria-labelledby="schedule">
      <div>
        <h2 id="schedule">{ruleWords.schedule()}</h2>
        <p className="soft">{ruleWords.scheduleText(zone)}</p>
      </div>
      <div className={`${styles.box} ${styles.fields}`}>
        <TimeField
          path="scheduled_enable_at"
          label={ruleWords.enableAt()}
          value={draft.scheduled_enable_at}
          note={idle === 'enable' ? ruleWords.onAlready() : null}
          onChange={scheduled_enable_at => set(before => ({ ...before, scheduled_enable_at }))}
        />
        <TimeField
          path="scheduled_disable_at"
          label={ruleWords.disableAt()}
          value={draft.scheduled_disable_at}
          note={idle === 'disable' ? ruleWords.offAlready() : null}
          onChange={scheduled_disable_at => set(before => ({ ...before, scheduled_disable_at }))}
        />
      </div>
    </section>
  );
}

interface TimeFieldProps {
  path: string;
  label: string;
  value: string | null;
  /** Why the time has no effect. */
  note: string | null;
  onChange: (iso: string | null) => void;
}

function TimeField({ path, label, value, note, onChange }: TimeFieldProps) {
  const { isSwitchLocked } = useEditor();
  const problem = useProblem(path);
  const isPast = value !== null && Date.parse(value) < Date.now();
  return (
    <div className={styles.stack}>
      <div className={styles.time}>
        <EditField
          type="datetime-local"
          label={label}
          description={value === null ? undefined : isPast ? ruleWords.timePast() : ruleWords.time(value)}
          isDisabled={isSwitchLocked}
          value={value === null ? '' : localTime(value)}
          onChange={text => onChange(instant(text))}
          error={problem}
        />
        {value === null || isSwitchLocked ? null : (
          <IconButton label={ruleWords.clearTime(label)} onPress={() => onChange(null)}>
            <X size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {value === null && !isSwitchLocked ? (
        <div className="row">
          {QUICK.map(quick => {
            const name = ruleWords.quick[quick]();
            return (
              <Button
                key={quick}
                look="quiet"
                aria-label={ruleWords.quickFor(label, name)}
                onPress={() => onChange(quickTime(quick, new Date()))}
              >
                {name}
              </Button>
            );
          })}
        </div>
      ) : null}
      {note === null ? null : (
        <p className={styles.note} role="status">
          {note}
        </p>
      )}
    </div>
  );
}
