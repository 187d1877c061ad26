// Run the snippet of docs/recipes/read_with_engines.md for hyparquet on many folders, and save the
// rows: what engine_worker.py does for engines in Python. `node engine_worker.mjs JOB.json PROJECT`,
// where PROJECT holds node_modules.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const FOLDER = 'demo/topical_chat/utterances/data'
const SPLIT = 'train-'

const job = JSON.parse(readFileSync(process.argv[2], 'utf-8'))
const plain = (key, value) => (typeof value === 'bigint' ? Number(value) : value)

for (const [number, reading] of job.readings.entries()) {
  const code = job.code.replace(FOLDER, reading.folder).replace(SPLIT, `${reading.split}-`)
  // A module of its own beside `node_modules`, so that its imports are found as in a user's file.
  const module = join(process.argv[3], `reading-${process.pid}-${number}.mjs`)
  writeFileSync(module, `${code}\nexport { everything, train }\n`)
  const { everything, train } = await import(pathToFileURL(module))
  writeFileSync(reading.answer, JSON.stringify({ everything, split: train }, plain))
}
