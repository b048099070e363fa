import type { FlagType } from '../../../api/model';
import type { Refusal } from '../../../api/refusal';
import { ChipsField } from '../../../conditions/ChipsField';
import { readValue, typedValue } from '../../../flagState/values';
import type { NamedProject } from '../../../frame/project';
import { EditField } from '../../../parts/Fields';
import { refusalText } from '../../../ui/refusalText';
import { Select } from '../../../ui/Select';
import { PrerequisitesField } from '../dependencies/PrerequisitesField';
import { ruleWords } from '../targeting/messages';
import { settings } from './messages';
import type { useOwnDraft } from './ownDraft';
import styles from './Settings.module.css';

interface OwnFieldsProps {
  project: NamedProject;
  flagKey: string;
  type: FlagType;
  draft: ReturnType<typeof useOwnDraft>;
  /** The service's refusal, shown at the field that it names. */
  refusal: Refusal | null;
  isDisabled: boolean;
}

export function OwnFields({ project, flagKey, type, draft, refusal, isDisabled }: OwnFieldsProps) {
  const { mine, set } = draft;
  const errorOf = (field: string) =>
    refusal?.kind === 'invalid' && refusal.field === field ? refusalText(refusal) : undefined;
  return (
    <div className={styles.fields}>
      <EditField
        label={settings.name()}
        value={mine.name}
        onChange={name => set({ name })}
        isDisabled={isDisabled}
        error={mine.name.trim() === '' ? settings.nameMissing() : errorOf('name')}
      />
      <EditField
        label={settings.description()}
        isLong
        value={mine.description}
        onChange={description => set({ description })}
        isDisabled={isDisabled}
        error={errorOf('description')}
      />
      <Chips
        label={settings.tags()}
        values={mine.tags}
        onChange={tags => set({ tags })}
        isDisabled={isDisabled}
        error={errorOf('tags')}
      />
      <DefaultValue type={type} draft={draft} isDisabled={isDisabled} error={errorOf('default_value')} />
      <PrerequisitesField
        project={project}
        flagKey={flagKey}
        keys={mine.prerequisites}
        onChange={prerequisites => set({ prerequisites })}
        isDisabled={isDisabled}
        error={errorOf('prerequisites')}
      />
      <EditField
        label={settings.group()}
        description={settings.groupText()}
        value={mine.mutual_exclusion_group}
        onChange={mutual_exclusion_group => set({ mutual_exclusion_group })}
        isDisabled={isDisabled}
        error={errorOf('mutual_exclusion_group')}
      />
    </div>
  );
}

interface ChipsProps {
  label: string;
  values: string[];
  onChange: (values: string[]) => void;
  isDisabled: boolean;
  error: string | undefined;
}

/** The label is seen here; the field has it for screen readers. */
function Chips({ label, ...rest }: ChipsProps) {
  return (
    <div className={styles.withText}>
      <span className={styles.label} aria-hidden>
        {label}
      </span>
      <ChipsField label={label} {...rest} />
    </div>
  );
}

interface DefaultValueProps {
  type: FlagType;
  draft: ReturnType<typeof useOwnDraft>;
  isDisabled: boolean;
  error: string | undefined;
}

function DefaultValue({ type, draft, isDisabled, error }: DefaultValueProps) {
  const { mine, typed, setDefault, setTyped } = draft;
  if (type === 'boolean') {
    return (
      <div className={styles.withText}>
        <Select
          label={settings.defaultValue()}
          isDisabled={isDisabled}
          choices={[
            { id: 'true', label: ruleWords.isTrue() },
            { id: 'false', label: ruleWords.isFalse() },
          ]}
          value={String(mine.default_value)}
          onChange={id => setDefault(id === 'true')}
        />
        <span className="soft small">{settings.defaultText()}</span>
      </div>
    );
  }
  const wrong = typed === null ? null : readValue(type, typed, false);
  return (
    <EditField
      label={settings.defaultValue()}
      description={settings.defaultText()}
      isCode={type === 'json' || type === 'ab'}
      isLong={type !== 'number'}
      inputMode={type === 'number' ? 'decimal' : 'text'}
      isDisabled={isDisabled}
      value={typed ?? typedValue(type, mine.default_value)}
      error={wrong !== null && !wrong.ok ? ruleWords.wrong(wrong.why) : error}
      onChange={text => {
        const read = readValue(type, text, false);
        // A number or JSON is kept as it is typed until the field is left: `1.` becomes `1.5`.
        if (read.ok && typedValue(type, read.value) === text) setDefault(read.value);
        else setTyped(text);
      }}
      onBlur={() => {
        if (wrong?.ok) setDefault(wrong.value);
      }}
    />
  );
}
