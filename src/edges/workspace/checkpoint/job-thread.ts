import { Worker } from 'node:worker_threads'
import type { CheckpointJob, JobDone } from './job.ts'
import type { JobFailure } from './worker.ts'

type JobResult = JobDone | JobFailure

export class ThreadFailure extends Error {
  readonly failure: JobFailure
  constructor(failure: JobFailure) {
    super(failure.message)
    this.failure = failure
  }
}

const isSource = import.meta.url.endsWith('.ts')
const program = new URL(isSource ? './worker.ts' : './checkpoint-worker.js', import.meta.url)

/** Checkpoints often follow each other, and a thread that has tested the sandbox need not test it again. */
const idleMs = 30_000

type Thread = {
  readonly worker: Worker
  /** A thread keeps the environment in which it began, and finds Git there. */
  readonly path: string | undefined
  /** The job it has, if it has one. */
  job: { done(result: JobResult): void; failed(error: unknown): void } | null
  timer: NodeJS.Timeout | null
}
const idle: Thread[] = []

/** Runs one job in a thread of its own, a waiting one if there is one. */
export async function runInThread(job: CheckpointJob): Promise<JobDone> {
  const waiting = idle.findIndex(({ path }) => path === process.env['PATH'])
  const thread = idle.splice(waiting, waiting < 0 ? 0 : 1)[0] ?? begin()
  if (thread.timer) clearTimeout(thread.timer)
  const result = await new Promise<JobResult>((done, failed) => {
    thread.job = { done, failed }
    thread.worker.ref()
    thread.worker.postMessage(job)
  })
  wait(thread)
  if (result.kind === 'failed') throw new ThreadFailure(result)
  return result
}

function begin(): Thread {
  const worker = new Worker(program, { execArgv: [], stdin: false })
  const thread: Thread = { worker, path: process.env['PATH'], job: null, timer: null }
  worker.on('message', (result: JobResult) => thread.job?.done(result))
  const over = (error: unknown) => {
    thread.job?.failed(error)
    end(thread)
  }
  worker.on('error', over)
  worker.on('exit', (code) => over(new Error(`the thread of a checkpoint ended with ${code}`)))
  return thread
}

/** It does not keep the process alive. */
function wait(thread: Thread): void {
  thread.job = null
  thread.worker.unref()
  thread.timer = setTimeout(() => end(thread), idleMs).unref()
  idle.push(thread)
}

function end(thread: Thread): void {
  if (thread.timer) clearTimeout(thread.timer)
  const at = idle.indexOf(thread)
  if (at >= 0) idle.splice(at, 1)
  void thread.worker.terminate()
}
