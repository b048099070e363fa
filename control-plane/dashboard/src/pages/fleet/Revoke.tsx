import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Code } from '../../parts/Code';
import { Button } from '../../ui/Button';
import { ConfirmDialog } from '../../ui/Dialog';
import { refusalText } from '../../ui/refusalText';
import { say, warn } from '../../ui/say';
import { revokeCommand } from './commands';
import { edgePage as words } from './edgeMessages';
import { revokeEdge } from './queries';
import type { Row } from './rows';

/** How an edge is revoked: by a button where the account may, else by the command to give to an operator. */
export function Revoke({ row, mayRevoke }: { row: Row; mayRevoke: boolean }) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [isPending, setPending] = useState(false);
  const { name } = row;
  async function revoke() {
    setPending(true);
    const result = await revokeEdge(name);
    setPending(false);
    setAsking(false);
    if (result.ok) say(words.revoked(name));
    else warn(refusalText(result.refusal));
    void client.invalidateQueries({ queryKey: ['edges'] });
  }
  const command = revokeCommand(name);
  return (
    <section className="card" aria-labelledby="revoke">
      <h2 id="revoke">{words.revokeTitle()}</h2>
      {row.edge.kind === 'built-in' ? (
        <p>{words.builtIn()}</p>
      ) : (
        <>
          <p>{words.revokeText()}</p>
          {mayRevoke ? (
            <div>
              <Button look="danger" onPress={() => setAsking(true)}>
                {words.revoke()}
              </Button>
            </div>
          ) : (
            <>
              <p>{words.revokeAsk()}</p>
              <Code label={words.commandLabel()} text={command} copy={words.copyCommand()} />
            </>
          )}
          <ConfirmDialog
            title={words.revokeConfirm(name)}
            confirm={words.revokeButton()}
            isOpen={isAsking}
            isPending={isPending}
            onConfirm={() => void revoke()}
            onClose={() => setAsking(false)}
          >
            <p>{words.revokeText()}</p>
          </ConfirmDialog>
        </>
      )}
    </section>
  );
}
