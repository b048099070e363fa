import { X } from 'lucide-react';
import { useState } from 'react';
import { useDraft } from '../../../flagState/draft';
import { Combo } from '../../../parts/Combo';
import { EditField } from '../../../parts/Fields';
import { Button, IconButton } from '../../../ui/Button';
import { useEditor, useProblem } from './editor';
import { ruleWords } from './messages';
import styles from './Rules.module.css';
import { doesNothing, QUICK, quickTime } from './times';
import { knownZones, localTime, localZone, occurrence, readTime } from './zones';

/** When the flag turns itself on or off. */
export function ScheduleCard() {
  const { draft, set } = useDraft();
  const [zones] = useState(knownZones);
  const [typed, setTyped] = useState(localZone);
  const [zone, setZone] = useState(typed);
  const idle = doesNothing(draft);
  return (
    <section className={styles.section} aria-labelledby="schedule">
      <div>
        <h2 id="schedule">{ruleWords.schedule()}</h2>
        <div className={styles.zone}>
          <p className="soft">{ruleWords.scheduleText()}</p>
          <Combo
            label={ruleWords.zone()}
            choices={zones.map(id => ({ id, label: id }))}
            value={typed}
            onChange={text => {
              setTyped(text);
              const found = zones.find(id => id.toLowerCase() === text.trim().toLowerCase());
              if (found !== undefined) setZone(found);
            }}
            error={typed.trim().toLowerCase() === zone.toLowerCase() ? undefined : ruleWords.zoneUnknown()}
          />
        </div>
      </div>
      <div className={`${styles.box} ${styles.fields}`}>
        <TimeField
          path="scheduled_enable_at"
          label={ruleWords.enableAt()}
          zone={zone}
          value={draft.scheduled_enable_at}
          note={idle === 'enable' ? ruleWords.onAlready() : null}
          onChange={scheduled_enable_at => set(before => ({ ...before, scheduled_enable_at }))}
        />
        <TimeField
          path="scheduled_disable_at"
          label={ruleWords.disableAt()}
          zone={zone}
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
  zone: string;
  value: string | null;
  /** Why the time has no effect. */
  note: string | null;
  onChange: (iso: string | null) => void;
}

function TimeField({ path, label, zone, value, note, onChange }: TimeFieldProps) {
  const { isSwitchLocked } = useEditor();
  const problem = useProblem(path);
  /** A time that was typed and that the zone has not, and the instant in its place. */
  const [skipped, setSkipped] = useState<{ local: string; iso: string; zone: string } | null>(null);
  const isPast = value !== null && Date.parse(value) < Date.now();
  const which = value === null ? null : occurrence(value, zone);
  const notes = [
    skipped !== null && skipped.iso === value && skipped.zone === zone
      ? ruleWords.timeSkipped(skipped.local, zone)
      : null,
    which === null ? null : ruleWords.timeTwice(which, zone),
    note,
  ].filter(text => text !== null);
  return (
    <div className={styles.stack}>
      <div className={styles.time}>
        <EditField
          type="datetime-local"
          label={label}
          description={value === null ? undefined : isPast ? ruleWords.timePast() : ruleWords.time(value)}
          isDisabled={isSwitchLocked}
          value={value === null ? '' : localTime(value, zone)}
          onChange={local => {
            const { iso, isSkipped } = readTime(local, zone);
            setSkipped(isSkipped && iso !== null ? { local, iso, zone } : null);
            onChange(iso);
          }}
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
                onPress={() => onChange(quickTime(quick, new Date(), zone))}
              >
                {name}
              </Button>
            );
          })}
        </div>
      ) : null}
      {notes.map(text => (
        <p key={text} className={styles.note} role="status">
          {text}
        </p>
      ))}
    </div>
  );
}
