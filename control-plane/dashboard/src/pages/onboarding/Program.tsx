import { Code } from '../../parts/Code';
import { NoEdgeUrl } from '../../parts/NoEdgeUrl';
import { useEdgeUrl } from '../../session/edgeUrl';
import { Select } from '../../ui/Select';
import { LANGUAGES, type Language, variables } from './languages';
import { onboarding } from './messages';

interface ProgramProps {
  language: Language;
  onLanguage: (language: Language) => void;
  apiKey: string | null;
}

/** Stands for the key until there is one. */
const NO_KEY = '…';

export function Program({ language, onLanguage, apiKey }: ProgramProps) {
  const isServer = language.keyType === 'server';
  const { address } = useEdgeUrl();
  const setting = variables(address, apiKey ?? NO_KEY);
  // A shell takes both at once.
  const isShell = language.id === 'curl';
  const program = isShell ? `${setting}\n${language.program}` : language.program;
  return (
    <>
      <Select
        label={onboarding.language()}
        choices={LANGUAGES.map(({ id }) => ({ id, label: onboarding.languageName(id) }))}
        value={language.id}
        onChange={id => {
          const chosen = LANGUAGES.find(known => known.id === id);
          if (chosen) onLanguage(chosen);
        }}
      />
      <NoEdgeUrl />
      {language.install === null ? null : (
        <>
          <h3>{onboarding.install()}</h3>
          <Code label={onboarding.install()} text={language.install} />
        </>
      )}
      {isServer && !isShell ? (
        <>
          <h3>{onboarding.set()}</h3>
          <Code label={onboarding.set()} text={setting} copy={onboarding.copySetting()} />
        </>
      ) : null}
      <h3>{isShell ? onboarding.paste() : isServer ? onboarding.run() : onboarding.call(address)}</h3>
      <Code label={onboarding.programTitle()} text={program} copy={onboarding.copyProgram()} />
    </>
  );
}
