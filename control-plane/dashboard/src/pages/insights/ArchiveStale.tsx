import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ArchiveDialog } from '../../archive/ArchiveDialog';
import { ownFieldsQuery } from '../../flagState/ownFields';
import type { NamedProject } from '../../frame/project';

interface ArchiveStaleProps {
  project: NamedProject;
  flag: { key: string };
  onClose: () => void;
}

/** The dialog, once the version of the flag is known. */
export function ArchiveStale({ project, flag, onClose }: ArchiveStaleProps) {
  const own = useQuery(ownFieldsQuery(project.id, flag.key));
  const [seen, setSeen] = useState<string | null>(null);
  if (own.data === undefined && seen === null) return null;
  const etag = seen ?? own.data?.etag ?? '';
  if (seen === null) setSeen(etag);
  return <ArchiveDialog project={project} flag={flag} etag={etag} onClose={onClose} />;
}
