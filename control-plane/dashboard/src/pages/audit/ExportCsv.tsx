import { Download } from 'lucide-react';
import { useState } from 'react';
import { Refused } from '../../api/refusal';
import { csvName } from '../../parts/csv';
import { Button } from '../../ui/Button';
import { refusalText } from '../../ui/refusalText';
import { say, warn } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { audit } from './messages';
import { csvPart, type Filter } from './queries';

/** A file of this many parts of up to 1,000 entries; a shorter time exports the rest. */
const MOST_PARTS = 100;

/** Saves the entries that fit as CSV, part after part as the service gives them. */
export function ExportCsv({ filter }: { filter: Filter }) {
  const isOnline = useOnline();
  const [parts, setParts] = useState<number | null>(null);

  async function run() {
    setParts(0);
    const texts: string[] = [];
    let before: string | undefined;
    try {
      do {
        const { text, next } = await csvPart(filter, before);
        // Each part has the header line.
        texts.push(texts.length === 0 ? text : text.slice(text.indexOf('\r\n') + 2));
        before = next;
        setParts(texts.length);
      } while (before !== undefined && texts.length < MOST_PARTS);
      save(texts);
      say(before === undefined ? audit.exported() : audit.exportedPart(MOST_PARTS * 1000));
    } catch (problem) {
      warn(problem instanceof Refused ? refusalText(problem.refusal) : refusalText({ kind: 'offline' }));
    }
    setParts(null);
  }

  return (
    <Button isPending={parts !== null} isDisabled={!isOnline} onPress={() => void run()}>
      <Download size={16} aria-hidden />
      {parts === null ? audit.export() : audit.exporting(parts)}
    </Button>
  );
}

function save(texts: readonly string[]) {
  // The mark makes spreadsheets read UTF-8.
  const blob = new Blob(['\uFEFF', ...texts], { type: 'text/csv;charset=utf-8' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = csvName(['audit'], new Date());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
