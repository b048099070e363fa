import { Download } from 'lucide-react';
import { Button } from '../ui/Button';
import { type CsvCell, csv, csvName } from './csv';
import { shared } from './messages';

interface DownloadCsvProps {
  /** Words of the file's name; the date is added. */
  name: readonly string[];
  head: readonly string[];
  /** Asked for when the button is pressed. */
  rows: () => readonly (readonly CsvCell[])[];
  isDisabled?: boolean;
}

/** Saves what the page shows as a file. Nothing is asked of the service. */
export function DownloadCsv({ name, head, rows, isDisabled = false }: DownloadCsvProps) {
  function download() {
    // The mark makes spreadsheets read UTF-8.
    const blob = new Blob(['\uFEFF', csv(head, rows())], { type: 'text/csv;charset=utf-8' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = csvName(name, new Date());
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  return (
    <Button onPress={download} isDisabled={isDisabled}>
      <Download size={16} aria-hidden />
      {shared.downloadCsv()}
    </Button>
  );
}
