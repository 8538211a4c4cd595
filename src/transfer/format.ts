import { extname } from 'node:path'

export const FORMATS = ['ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** Stands for stdin or stdout. */
export const STANDARD_STREAM = '-'

const ENDINGS: Readonly<Record<string, Format>> = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv' }

/** The format of a file by its extension; null if that is unknown. */
export function formatOf(file: string): Format | null {
  return file === STANDARD_STREAM ? 'ndjson' : (ENDINGS[extname(file).toLowerCase()] ?? null)
}
