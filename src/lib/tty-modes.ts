import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'

/** How a terminal is set: whether it shows what is typed, and whether it hands over whole lines. */
export type TtyMode = { echo: boolean; canonical: boolean }

export type TtyModes = Disposable & {
  /** Null where it can't be told. */
  read(tty: string): Promise<TtyMode | null>
}

/** Paths of terminals hold nothing a shell could misread. */
const plainPath = /^\/dev\/[\w./-]+$/
const lateMs = 2000

/** One shell that runs stty for us: a process for each look would be too many. It is started by the first look. */
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
    // It must not keep a process alive that is done otherwise.
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
    // A terminal that does not answer takes the shell with it: the next look starts another.
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
