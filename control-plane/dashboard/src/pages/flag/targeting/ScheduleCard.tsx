import { X } from 'lucide-react';
import { useState } from 'react';
import { useDraft } from '../../../flagState/draft';
import { EditField } from '../../../parts/Fields';
import { IconButton } from '../../../ui/Button';
import { useEditor, useProblem } from './editor';
import { ruleWords } from './messages';
import styles from './Rules.module.css';
import { instant, localTime, zoneName } from './times';

/** When the flag switches itself on or off. */
export function ScheduleCard() {
  const { draft, set } = useDraft();
  const [zone] = useState(() => zoneName(new Date()));
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
          onChange={scheduled_enable_at => set(before => ({ ...before, scheduled_enable_at }))}
        />
        <TimeField
          path="scheduled_disable_at"
          label={ruleWords.disableAt()}
          value={draft.scheduled_disable_at}
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
  onChange: (iso: string | null) => void;
}

function TimeField({ path, label, value, onChange }: TimeFieldProps) {
  const { isSwitchLocked } = useEditor();
  const problem = useProblem(path);
  const isPast = value !== null && Date.parse(value) < Date.now();
  const utc = value === null ? undefined : ruleWords.timeUtc(value.slice(0, 16).replace('T', ' '));
  return (
    <div className={styles.time}>
      <EditField
        type="datetime-local"
        label={label}
        description={isPast ? ruleWords.timePast() : utc}
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
  );
}
