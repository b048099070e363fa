import { Banner } from '../ui/Feedback';
import { shared } from './messages';
import { Radios } from './Radios';

export interface Conflict {
  field: string;
  /** The text of each side. */
  mine: string;
  theirs: string;
  chosen: 'mine' | 'theirs' | null;
}

interface ConflictsProps {
  conflicts: readonly Conflict[];
  onChoose: (field: string, chosen: 'mine' | 'theirs') => void;
}

/** A choice for each field that two people changed differently. Without any, it says that the other change was kept. */
export function Conflicts({ conflicts, onChoose }: ConflictsProps) {
  return (
    <>
      <Banner tone="warn">{conflicts.length === 0 ? shared.changedMerged() : shared.changedText()}</Banner>
      {conflicts.map(({ field, mine, theirs, chosen }) => (
        <Radios
          key={field}
          label={shared.chooseField(field)}
          choices={[
            { id: 'mine', label: shared.mine(), hint: mine },
            { id: 'theirs', label: shared.theirs(), hint: theirs },
          ]}
          value={chosen}
          onChange={choice => onChoose(field, choice)}
        />
      ))}
    </>
  );
}
