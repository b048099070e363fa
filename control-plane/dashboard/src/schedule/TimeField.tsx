import { X } from 'lucide-react';
import { useState } from 'react';
import { EditField } from '../parts/Fields';
import { Button, IconButton } from '../ui/Button';
import { scheduleWords } from './messages';
import { QUICK, quickTime } from './quick';
import styles from './Schedule.module.css';
import { localTime, occurrence, readTime } from './zones';

interface TimeFieldProps {
  label: string;
  zone: string;
  value: string | null;
  isLocked?: boolean;
  /** What comes of a time that has passed. */
  past: string;
  /** Why the time has no effect. */
  note?: string | null;
  error?: string | undefined;
  onChange: (iso: string | null) => void;
}

/** A time of day in a zone, with quick choices, and what is odd about it there. */
export function TimeField({
  label,
  zone,
  value,
  isLocked = false,
  past,
  note = null,
  error,
  onChange,
}: TimeFieldProps) {
  /** A time that was typed and that the zone has not, and the instant in its place. */
  const [skipped, setSkipped] = useState<{ local: string; iso: string; zone: string } | null>(null);
  const isPast = value !== null && Date.parse(value) < Date.now();
  const which = value === null ? null : occurrence(value, zone);
  const notes = [
    skipped !== null && skipped.iso === value && skipped.zone === zone
      ? scheduleWords.timeSkipped(skipped.local, zone)
      : null,
    which === null ? null : scheduleWords.timeTwice(which, zone),
    note,
  ].filter(text => text !== null);
  return (
    <div className={styles.field}>
      <div className={styles.time}>
        <EditField
          type="datetime-local"
          label={label}
          description={value === null ? undefined : isPast ? past : scheduleWords.time(value)}
          isDisabled={isLocked}
          value={value === null ? '' : localTime(value, zone)}
          onChange={local => {
            const { iso, isSkipped } = readTime(local, zone);
            setSkipped(isSkipped && iso !== null ? { local, iso, zone } : null);
            onChange(iso);
          }}
          error={error}
        />
        {value === null || isLocked ? null : (
          <IconButton label={scheduleWords.clearTime(label)} onPress={() => onChange(null)}>
            <X size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      {value === null && !isLocked ? (
        <div className="row">
          {QUICK.map(quick => {
            const name = scheduleWords.quick[quick]();
            return (
              <Button
                key={quick}
                look="quiet"
                aria-label={scheduleWords.quickFor(label, name)}
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
