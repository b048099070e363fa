import { Radios } from '../../parts/Radios';
import { migration as words } from './messages';
import type { Counts, Verdict } from './queries';
import { total, VERDICTS } from './verdicts';

interface VerdictFilterProps {
  counts: Counts;
  value: Verdict | null;
  onChange: (verdict: Verdict | null) => void;
}

/** How many items fare how, and which of them are shown. */
export function VerdictFilter({ counts, value, onChange }: VerdictFilterProps) {
  return (
    <>
      <Radios
        label={words.show()}
        isRow
        choices={[
          { id: 'all', label: words.all(total(counts)) },
          ...VERDICTS.map(id => ({ id, label: words.verdictCount(id, counts[id]) })),
        ]}
        value={value ?? 'all'}
        onChange={chosen => onChange(VERDICTS.find(verdict => verdict === chosen) ?? null)}
      />
      {value === null ? null : <p className="soft">{words.verdictText(value)}</p>}
    </>
  );
}
