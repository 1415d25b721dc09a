import { parentPort, workerData } from 'node:worker_threads'
import { errnoOf } from '../errno.ts'
import { Replaced } from './held-directory-sync.ts'
import { runJob, type Job } from './job.ts'
import { TooManyFiles } from './scan.ts'

export type Failure = { kind: 'failed'; code: string | null; message: string; tooMany: boolean; replaced: boolean }

// The one who starts this thread hands over a job and hears one message.
const job = workerData as Job
try {
  parentPort?.postMessage(await runJob(job))
} catch (error) {
  const failure: Failure = {
    kind: 'failed',
    code: errnoOf(error),
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    tooMany: error instanceof TooManyFiles,
    replaced: error instanceof Replaced,
  }
  parentPort?.postMessage(failure)
}
