import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbi-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const installer = JSON.stringify(new URL('../../../scripts/lib/agents.mjs', import.meta.url).href)

/** Installs an agent with an npm that does as told. */
function install(npm: string): Promise<{ code: number | null; output: string }> {
  const cli = join(folder, 'npm-cli.cjs')
  writeFileSync(cli, `const fs = require('node:fs')\nfs.appendFileSync('../../runs', 'x')\n${npm}`)
  const script = `(await import(${installer})).ensureAgents(['acpx'])`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env['PATH'], SIGNALBOX_AGENTS_CACHE: join(folder, 'cache'), npm_execpath: cli },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output }))
  })
}

const works = `fs.mkdirSync('node_modules/acpx/dist', { recursive: true }); fs.writeFileSync('node_modules/acpx/dist/cli.js', '')`
const kept = () => readdirSync(join(folder, 'cache'))
const runs = () => readFileSync(join(folder, 'runs'), 'utf8').length

describe('agents for the tests', () => {
  it('are installed once, and the installer says what it did', async () => {
    const first = await install(works)
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/acpx \S+: \d+ MB, \S+ s\n/) })
    expect(await install(works)).toEqual({ code: 0, output: '' })
    expect(runs()).toBe(1)
  })

  it('leave nothing behind if npm fails, and the next run tries again', async () => {
    const failed = await install(`console.error('the disk is full'); process.exitCode = 1`)
    expect(failed).toMatchObject({
      code: 1,
      output: expect.stringMatching(/could not be installed[^]*the disk is full/),
    })
    expect(kept()).toEqual([])
    expect(await install(works)).toMatchObject({ code: 0 })
  })

  it('are repaired after an interrupted install', async () => {
    await install(works)
    const gone = spawn('true')
    await new Promise((resolve) => gone.on('close', resolve))
    const complete = kept()
    rmSync(join(folder, 'cache', complete[0]!), { recursive: true })
    mkdirSync(join(folder, 'cache', `.unfinished-acpx-${gone.pid}`))
    expect(await install(works)).toMatchObject({ code: 0 })
    expect(kept()).toEqual(complete)
  })
})
