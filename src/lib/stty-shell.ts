import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'

/** Runs `stty` on terminals. */
export type SttyShell = Disposable & {
  /** What it prints; empty if it failed. */
  stty(tty: string, words: string): Promise<string>
}

/** Terminal paths without characters that a shell would interpret. */
const plainPath = /^\/dev\/[\w./-]+$/
const lateMs = 2000
const mark = '--end-of-settings--'

/** One shell that runs stty repeatedly: a process of ours per call would be too many, and too slow. The first call starts it. */
export function createSttyShell(): SttyShell {
  const flag = process.platform === 'linux' ? '-F' : '-f'
  let shell: ChildProcessWithoutNullStreams | null = null
  let isDisposed = false
  let text = ''
  const waiting: ((line: string) => void)[] = []

  function start(): ChildProcessWithoutNullStreams {
    const started = spawn('/bin/sh', [], { stdio: 'pipe', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } })
    const gone = () => {
      if (shell !== started) return
      shell = null
      text = ''
      for (const settle of waiting.splice(0)) settle('')
    }
    started.on('error', gone)
    started.on('exit', gone)
    started.stdin.on('error', () => {})
    started.stderr.resume()
    started.stdout.setEncoding('utf8')
    started.stdout.on('data', (piece: string) => {
      text += piece
      for (let end = text.indexOf(mark); end >= 0; end = text.indexOf(mark)) {
        const answer = text.slice(0, end)
        text = text.slice(end + mark.length)
        waiting.shift()?.(answer)
      }
    })
    // Must not keep the process alive.
    started.unref()
    return started
  }

  return {
    async stty(tty, words) {
      if (isDisposed || !plainPath.test(tty)) return ''
      const answer = Promise.withResolvers<string>()
      shell ??= start()
      waiting.push(answer.resolve)
      shell.stdin.write(`stty ${flag} ${tty} ${words} 2>/dev/null; echo ${mark}\n`)
      const asked = shell
      // If a terminal does not answer, the shell is killed; the next call starts another.
      const late = setTimeout(() => asked.kill('SIGKILL'), lateMs)
      const settings = await answer.promise
      clearTimeout(late)
      return settings.trim()
    },
    [Symbol.dispose]() {
      isDisposed = true
      shell?.kill('SIGKILL')
    },
  }
}
