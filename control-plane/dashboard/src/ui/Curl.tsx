import type { Request } from './curl';
import { Optional } from './Optional';
import { part } from './part';

const CurlBox = part(() => import('./CurlBox'));

/** The same as the button beside it, for a shell. */
export function Curl(request: Request) {
  return (
    <Optional isSilent>
      <CurlBox {...request} />
    </Optional>
  );
}
