import { places } from '../messages/places';
import { useMe } from '../session/me';
import { denial, type Permit } from '../session/permits';
import { Banner } from '../ui/Feedback';

/** Why the controls below are disabled; nothing for those who may use them. */
export function MayNot({ permit }: { permit: Permit }) {
  const me = useMe();
  const denied = denial(me, permit);
  if (denied === null) return null;
  return (
    <Banner tone="note">
      {denied.kind === 'custom'
        ? places.mayNotCustom(permit)
        : places.mayNot(permit, denied.role, denied.roles)}
    </Banner>
  );
}

export function useMay(permit: Permit): boolean {
  return useMe().permissions.includes(permit);
}
