import type { ReactNode } from 'react';
import { Curl } from '../../ui/Curl';
import { Empty } from '../../ui/Feedback';
import { noFlagsWords } from './noMatchMessages';

interface NoFlagsProps {
  projectId: string;
  /** Absent for members who may not create flags. */
  create: ReactNode;
}

/** In place of the table in a project without flags. */
export default function NoFlags({ projectId, create }: NoFlagsProps) {
  return (
    <Empty
      title={noFlagsWords.title()}
      action={create}
      api={
        create === null ? null : (
          <Curl
            method="POST"
            path={`/v1/projects/${projectId}/flags`}
            body={{ key: noFlagsWords.exampleKey(), name: noFlagsWords.exampleName() }}
          />
        )
      }
    >
      {noFlagsWords.text()}
    </Empty>
  );
}
