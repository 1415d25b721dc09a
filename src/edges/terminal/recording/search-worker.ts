// One search in its own thread, so that it blocks nothing else.
import { parentPort, workerData } from 'node:worker_threads'
import { searchRecordings, type SearchInput } from './search.ts'

const { directories, input } = workerData as { directories: readonly string[]; input: SearchInput }
parentPort?.postMessage(await searchRecordings(directories, input))
