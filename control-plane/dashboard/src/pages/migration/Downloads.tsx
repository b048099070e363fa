import { Download } from 'lucide-react';
import { useState } from 'react';
import { csv, csvName } from '../../parts/csv';
import { Button } from '../../ui/Button';
import { warn } from '../../ui/say';
import { migration as words } from './messages';
import type { Item } from './queries';
import { csvRows } from './verdicts';

interface DownloadsProps {
  /** Words of the files' names. */
  name: readonly string[];
  /** What the JSON has beside the items. */
  about: Record<string, unknown>;
  items: () => Promise<readonly Item[]>;
}

/** The report as a file, for those who keep it. */
export function Downloads({ name, about, items }: DownloadsProps) {
  const [pending, setPending] = useState<'json' | 'csv' | null>(null);

  async function download(form: 'json' | 'csv') {
    setPending(form);
    try {
      const all = await items();
      if (form === 'json') {
        save(JSON.stringify({ ...about, items: all }, null, 2), 'application/json', '.json');
      } else {
        // The mark makes spreadsheets read UTF-8.
        save(`\uFEFF${csv(words.columns(), csvRows(all))}`, 'text/csv;charset=utf-8', '.csv');
      }
    } catch {
      warn(words.downloadFailed());
    }
    setPending(null);
  }

  function save(text: string, type: string, end: string) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = csvName([words.fileName(), ...name], new Date()).replace(/\.csv$/, end);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  return (
    <div className="row">
      <Button isPending={pending === 'json'} onPress={() => void download('json')}>
        <Download size={16} aria-hidden />
        {words.json()}
      </Button>
      <Button isPending={pending === 'csv'} onPress={() => void download('csv')}>
        <Download size={16} aria-hidden />
        {words.csv()}
      </Button>
    </div>
  );
}
