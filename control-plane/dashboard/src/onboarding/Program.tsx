import { t } from '../messages/en';
import { Code } from '../parts/Code';
import { CopyButton } from '../ui/CopyButton';
import { Select } from '../ui/Select';
import { LANGUAGES, type Language, variables } from './languages';

interface ProgramProps {
  language: Language;
  onLanguage: (language: Language) => void;
  apiKey: string | null;
}

/** Stands for the key until there is one. */
const NO_KEY = '…';

export function Program({ language, onLanguage, apiKey }: ProgramProps) {
  const isServer = language.keyType === 'server';
  const setting = variables(location.origin, apiKey ?? NO_KEY);
  // A shell takes both at once.
  const isShell = language.id === 'curl';
  const program = isShell ? `${setting}\n${language.program}` : language.program;
  return (
    <>
      <Select
        label={t.onboarding.language()}
        choices={LANGUAGES.map(({ id }) => ({ id, label: t.onboarding.languageName(id) }))}
        value={language.id}
        onChange={id => {
          const chosen = LANGUAGES.find(known => known.id === id);
          if (chosen) onLanguage(chosen);
        }}
      />
      {language.install === null ? null : (
        <>
          <h3>{t.onboarding.install()}</h3>
          <Code label={t.onboarding.install()} text={language.install} />
        </>
      )}
      {isServer && !isShell ? (
        <>
          <h3>{t.onboarding.set()}</h3>
          <Code label={t.onboarding.set()} text={setting} />
          <CopyButton text={setting} label={t.onboarding.copySetting()} />
        </>
      ) : null}
      <h3>
        {isShell ? t.onboarding.paste() : isServer ? t.onboarding.run() : t.onboarding.call(location.origin)}
      </h3>
      <Code label={t.onboarding.programTitle()} text={program} />
      <CopyButton text={program} label={t.onboarding.copyProgram()} />
    </>
  );
}
