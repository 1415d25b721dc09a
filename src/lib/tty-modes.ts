import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'

/** The settings of a terminal: whether it echoes input, and whether it delivers whole lines. */
export type TtyMode = { echo: boolean; canonical: boolean }

export type TtyModes = Disposable & {
  /** Null if unknown. */
  read(tty: string): Promise<TtyMode | null>
}

/** Terminal paths without characters that a shell would interpret. */
const plainPath = /^\/dev\/[\w./-]+$/
const lateMs = 2000

/** One shell that runs stty repeatedly: a process per read would be too many. The first read starts it. */
export function createTtyModes(): TtyModes {
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

  async function read(tty: string): Promise<TtyMode | null> {
    if (isDisposed || !plainPath.test(tty)) return null
    const answer = Promise.withResolvers<string>()
    shell ??= start()
    waiting.push(answer.resolve)
    shell.stdin.write(`stty ${flag} ${tty} -a 2>/dev/null; echo ${mark}\n`)
    const asked = shell
    // If a terminal does not answer, the shell is killed; the next read starts another.
    const late = setTimeout(() => asked.kill('SIGKILL'), lateMs)
    const settings = await answer.promise
    clearTimeout(late)
    return modeIn(settings)
  }

  return {
    read,
    [Symbol.dispose]() {
      isDisposed = true
      shell?.kill('SIGKILL')
    },
  }
}

const mark = '--end-of-settings--'

export function modeIn(settings: string): TtyMode | null {
  const echo = /(^|[\s;])(-?)echo(?=[\s;])/m.exec(settings)
  const canonical = /(^|[\s;])(-?)icanon(?=[\s;])/m.exec(settings)
  return echo && canonical ? { echo: echo[2] === '', canonical: canonical[2] === '' } : null
}
