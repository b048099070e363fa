import type { Environment, Flag } from '../../api/model';
import type { NamedProject } from '../../frame/project';

/** The flag and the environment that a tab shows. Their state is `useDraft()`. */
export interface TabProps {
  project: NamedProject;
  flag: Flag;
  environment: Environment;
}
