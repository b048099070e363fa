import { Radios } from '../../parts/Radios';
import { EnvironmentDot } from '../../ui/Chip';
import { TextField } from '../../ui/Field';
import { COLORS, colorOf, isHex } from './colors';
import { environments } from './messages';

interface ColorFieldProps {
  value: string;
  onChange: (hex: string) => void;
}

/** One of a few named colours, or any other as a number. */
export function ColorField({ value, onChange }: ColorFieldProps) {
  return (
    <>
      <Radios
        label={environments.color()}
        isRow
        choices={COLORS.map(({ id, hex }) => ({
          id,
          label: environments.colorName(id),
          mark: <EnvironmentDot color={hex} />,
        }))}
        value={colorOf(value)}
        onChange={id => onChange(COLORS.find(color => color.id === id)?.hex ?? value)}
      />
      <TextField
        name="color"
        label={environments.hex()}
        description={isHex(value) ? environments.hexText() : environments.hexWrong()}
        autoComplete="off"
        spellCheck="false"
        value={value}
        onChange={onChange}
      />
    </>
  );
}
