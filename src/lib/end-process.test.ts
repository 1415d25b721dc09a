import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { inPty } from '../../test/support/in-pty.ts'
import { until, within } from '../../test/support/until.ts'

const module = fileURLToPath(new URL('./end-process.ts', import.meta.url))
const script = (text: string) => `import { endOnceSaid, endProcess } from ${JSON.stringify(module)}; ${text}`
const run = (text: string) => {
  const { status, signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script(text)], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { status, signal, stdout }
}

describe('a process that ends itself', () => {
  it.each([0, 1, 130])('has exit code %i, whatever is still open', (code) => {
    const open = `import { createServer } from 'node:net'; createServer().listen(0); setInterval(() => {}, 1000)`
    expect(run(`${open}; endProcess(${code})`)).toEqual({ status: code, signal: null, stdout: '' })
  })

  it('notifies exit listeners', () => {
    const listener = `process.on('exit', (code) => console.log('ends with', code))`
    expect(run(`${listener}; endProcess(3)`)).toEqual({ status: 3, signal: null, stdout: 'ends with 3\n' })
  })

  it('has written its output, if it was to wait for that', () => {
    const { status, stdout } = run(
      `setInterval(() => {}, 1000); console.log('x'.repeat(900_000)); await endOnceSaid(3)`,
    )
    expect([status, stdout.length]).toEqual([3, 900_001])
  })

  it('ends with the code that a listener chose last, even if another one throws', () => {
    const listeners = `process.on('exit', () => { process.exitCode = 2 }); process.on('exit', () => { throw new Error() })`
    expect(run(`${listeners}; endProcess(0)`)).toMatchObject({ status: 2, signal: null })
  })

  it('does not wait for a reader that never reads', async () => {
    const said = script(`console.log('x'.repeat(900_000)); await endOnceSaid(3)`)
    const child = spawn(process.execPath, ['--input-type=module', '-e', said], { stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.pause()
    expect(await within(once(child, 'exit'), 'the end')).toEqual([3, null])
    child.stdout.destroy()
  })

  it('runs nothing afterwards', () => {
    expect(run(`endProcess(4); console.log('still here')`)).toEqual({ status: 4, signal: null, stdout: '' })
  })

  it('restores the terminal', async () => {
    const raw = script('process.stdin.setRawMode(true); endProcess(0)')
    const node = `"${process.execPath}" --input-type=module -e "$SCRIPT"`
    using terminal = inPty(['sh', '-c', `${node}; echo "ended $?"; stty -a; echo over; read x`], { SCRIPT: raw })
    await until(() => terminal.text().includes('over'), { what: 'the end' })
    expect(terminal.text()).toContain('ended 0')
    expect(terminal.text()).toMatch(/[ ;]icanon/)
    expect(terminal.text()).not.toContain('-icanon')
  })
})
