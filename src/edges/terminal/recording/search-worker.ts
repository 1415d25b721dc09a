// One search in a thread of its own: what it costs is nobody else's.
import { parentPort, workerData } from 'node:worker_threads'
import { searchRecordings, type SearchInput } from './search.ts'

const { directories, input } = workerData as { directories: readonly string[]; input: SearchInput }
parentPort?.postMessage(await searchRecordings(directories, input))
