import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { cleanEnv } from '../support/server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

it.each(['agent.mjs', 'mcp-agent.mjs'])('%s says that no token is set, and how to create one', async (name) => {
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [`${root}examples/${name}`], { env: cleanEnv({}) }, (_error, _stdout, stderr) =>
      resolve(stderr),
    )
  })
  expect(printed).toMatch(/^SIGNALBOX_TOKEN is not set\. .*signalbox tokens create/)
})
