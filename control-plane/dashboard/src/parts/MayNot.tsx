import { useMe } from '../session/me';
import { denial, type Permit } from '../session/permits';
import { Banner } from '../ui/Feedback';
import { shared } from './messages';

/** Why the controls below are disabled; nothing for those who may use them. */
export function MayNot({ permit }: { permit: Permit }) {
  const me = useMe();
  const denied = denial(me, permit);
  if (denied === null) return null;
  return (
    <Banner tone="note">
      {denied.kind === 'custom'
        ? shared.mayNotCustom(permit)
        : shared.mayNot(permit, denied.role, denied.roles)}
    </Banner>
  );
}

export function useMay(permit: Permit): boolean {
  return useMe().permissions.includes(permit);
}
