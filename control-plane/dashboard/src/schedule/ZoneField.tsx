import { useState } from 'react';
import { Combo } from '../parts/Combo';
import { scheduleWords } from './messages';
import { knownZones } from './zones';

interface ZoneFieldProps {
  zone: string;
  onChange: (zone: string) => void;
}

/** The time zone in which times are typed; what is typed and is none is said, and changes nothing. */
export function ZoneField({ zone, onChange }: ZoneFieldProps) {
  const [zones] = useState(knownZones);
  const [typed, setTyped] = useState(zone);
  return (
    <Combo
      label={scheduleWords.zone()}
      choices={zones.map(id => ({ id, label: id }))}
      value={typed}
      onChange={text => {
        setTyped(text);
        const found = zones.find(id => id.toLowerCase() === text.trim().toLowerCase());
        if (found !== undefined) onChange(found);
      }}
      error={typed.trim().toLowerCase() === zone.toLowerCase() ? undefined : scheduleWords.zoneUnknown()}
    />
  );
}
