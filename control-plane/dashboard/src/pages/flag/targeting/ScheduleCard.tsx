import { useState } from 'react';
import { useDraft } from '../../../flagState/draft';
import { TimeField } from '../../../schedule/TimeField';
import { ZoneField } from '../../../schedule/ZoneField';
import { localZone } from '../../../schedule/zones';
import { useEditor, useProblem } from './editor';
import { ruleWords } from './messages';
import styles from './Rules.module.css';
import { doesNothing } from './times';

/** When the flag turns itself on or off. */
export function ScheduleCard() {
  const { draft, set } = useDraft();
  const { isSwitchLocked } = useEditor();
  const [zone, setZone] = useState(localZone);
  const idle = doesNothing(draft);
  const shared = { zone, isLocked: isSwitchLocked, past: ruleWords.timePast() };
  return (
    <section className={styles.section} aria-labelledby="schedule">
      <div>
        <h2 id="schedule">{ruleWords.schedule()}</h2>
        <div className={styles.zone}>
          <p className="soft">{ruleWords.scheduleText()}</p>
          <ZoneField zone={zone} onChange={setZone} />
        </div>
      </div>
      <div className={`${styles.box} ${styles.fields}`}>
        <TimeField
          {...shared}
          label={ruleWords.enableAt()}
          value={draft.scheduled_enable_at}
          note={idle === 'enable' ? ruleWords.onAlready() : null}
          error={useProblem('scheduled_enable_at')}
          onChange={scheduled_enable_at => set(before => ({ ...before, scheduled_enable_at }))}
        />
        <TimeField
          {...shared}
          label={ruleWords.disableAt()}
          value={draft.scheduled_disable_at}
          note={idle === 'disable' ? ruleWords.offAlready() : null}
          error={useProblem('scheduled_disable_at')}
          onChange={scheduled_disable_at => set(before => ({ ...before, scheduled_disable_at }))}
        />
      </div>
    </section>
  );
}
