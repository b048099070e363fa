import { t } from '../messages/en';
import { CopyButton } from '../ui/CopyButton';
import { Select } from '../ui/Select';
import { LANGUAGES, type Language, variables } from './languages';
import { Code } from './Step';

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
      {isServer ? (
        <>
          <h3>{t.onboarding.set()}</h3>
          <Code label={t.onboarding.set()} text={setting} />
          <CopyButton text={setting} label={t.onboarding.copy()} />
        </>
      ) : null}
      <h3>{isServer ? t.onboarding.run() : t.onboarding.call(location.origin)}</h3>
      <Code label={t.onboarding.programTitle()} text={language.program} />
      <CopyButton text={language.program} label={t.onboarding.copy()} />
    </>
  );
}
