import { parentPort } from 'node:worker_threads'
import { errnoOf } from '../errno.ts'
import { WorkspaceReplaced } from './held-directory-sync.ts'
import { runJob, type CheckpointJob } from './job.ts'
import { TooManyFiles } from './scan.ts'

export type JobFailure = { kind: 'failed'; code: string | null; message: string; tooMany: boolean; replaced: boolean }

// Runs one job after the other, each with one message as its result.
parentPort?.on('message', (job: CheckpointJob) => void answer(job))

async function answer(job: CheckpointJob): Promise<void> {
  try {
    parentPort?.postMessage(await runJob(job))
  } catch (error) {
    const failure: JobFailure = {
      kind: 'failed',
      code: errnoOf(error),
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      tooMany: error instanceof TooManyFiles,
      replaced: error instanceof WorkspaceReplaced,
    }
    parentPort?.postMessage(failure)
  }
}
