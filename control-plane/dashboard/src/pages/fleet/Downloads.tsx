import { Download } from 'lucide-react';
import { Button } from '../../ui/Button';
import { edgePage as words } from './edgeMessages';
import type { EnrolledEdge } from './queries';

/** A button for each file of an edge's identity. */
export function Downloads({ made }: { made: EnrolledEdge }) {
  const files = { 'ca.pem': made.ca_pem, 'edge.pem': made.edge_pem, 'edge.key': made.edge_key };
  return (
    <div className="row">
      {Object.entries(files).map(([file, text]) => (
        <Button key={file} onPress={() => save(file, text)}>
          <Download size={16} aria-hidden />
          {words.download(file)}
        </Button>
      ))}
    </div>
  );
}

function save(file: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-pem-file' }));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
