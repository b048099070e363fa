import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { t } from '../../messages/en';
import { shared } from '../../parts/messages';
import { NameField } from '../../parts/NameField';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Select } from '../../ui/Select';
import { ServerForm } from '../../ui/ServerForm';
import { Switch } from '../../ui/Switch';
import { say } from '../../ui/say';
import { bodyOf, type Edited, edited, fieldOf, GIVEN_ROLES, type GivenRole, patchOf } from './fields';
import { MappingRows } from './MappingRows';
import { providers, form as words } from './messages';
import { createProvider, type Provider, SIGN_IN, updateProvider } from './queries';
import { SecretField } from './SecretField';

interface ProviderFormProps {
  /** `null` for one that is added. */
  stored: Provider | null;
  onClose: () => void;
}

/** Adds a provider, or changes a stored one. */
export function ProviderForm({ stored, onClose }: ProviderFormProps) {
  const client = useQueryClient();
  const [fields, setFields] = useState(() => edited(stored));
  const title = stored === null ? providers.add() : words.editTitle(stored.name);

  async function submit(): Promise<Refusal | null> {
    const answer =
      stored === null
        ? await createProvider(bodyOf(fields))
        : await updateProvider(stored.id, patchOf(stored, fields));
    if (!answer.ok) return answer.refusal;
    const { name } = answer.data;
    say(stored === null ? providers.added(name) : providers.saved(name));
    onClose();
    await client.invalidateQueries({ queryKey: SIGN_IN });
    return null;
  }

  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      <ServerForm
        label={title}
        onSubmit={submit}
        explain={refusal => {
          const field = fieldOf(refusal, fields.mappings);
          return field === null ? null : { field };
        }}
      >
        {({ isPending, isWaiting }) => (
          <>
            <Identity stored={stored} fields={fields} onChange={setFields} />
            <Members fields={fields} onChange={setFields} />
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {stored === null ? providers.add() : shared.save()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}

interface FieldsProps {
  fields: Edited;
  onChange: (fields: Edited) => void;
}

/** By which the two know each other. */
function Identity({ stored, fields, onChange }: FieldsProps & { stored: Provider | null }) {
  const isOther = stored !== null && fields.issuer.trim() !== stored.issuer;
  return (
    <>
      <NameField
        description={words.nameText()}
        value={fields.name}
        onChange={name => onChange({ ...fields, name })}
      />
      <TextField
        name="issuer"
        label={words.issuer()}
        description={words.issuerText()}
        isRequired
        inputMode="url"
        autoComplete="off"
        spellCheck="false"
        value={fields.issuer}
        onChange={issuer => onChange({ ...fields, issuer })}
      />
      {isOther ? <Banner tone="warn">{words.otherIssuer()}</Banner> : null}
      <TextField
        name="client_id"
        label={words.clientId()}
        isRequired
        autoComplete="off"
        spellCheck="false"
        value={fields.clientId}
        onChange={clientId => onChange({ ...fields, clientId })}
      />
      <SecretField isStored={stored?.has_secret === true} fields={fields} onChange={onChange} />
    </>
  );
}

/** Who becomes a member by it, and with which role. */
function Members({ fields, onChange }: FieldsProps) {
  return (
    <>
      <div className="stack close">
        <div>
          <Switch
            label={words.provisions()}
            isOn={fields.provisions}
            onChange={provisions => onChange({ ...fields, provisions })}
          />
        </div>
        <p className="soft small">{words.provisionsText()}</p>
      </div>
      <Select
        label={words.defaultRole()}
        description={words.defaultRoleText()}
        choices={GIVEN_ROLES.map(id => ({ id, label: words.role(id) }))}
        value={fields.defaultRole}
        onChange={role => onChange({ ...fields, defaultRole: role as GivenRole })}
      />
      <TextField
        name="role_claim"
        label={words.claim()}
        description={words.claimText()}
        autoComplete="off"
        spellCheck="false"
        value={fields.claim}
        onChange={claim => onChange({ ...fields, claim })}
      />
      {fields.claim.trim() === '' && fields.mappings.length === 0 ? null : (
        <MappingRows mappings={fields.mappings} onChange={mappings => onChange({ ...fields, mappings })} />
      )}
    </>
  );
}
