import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alertVerbs, askVerbs } from '../../../src/app/chat/card-actions.ts'
import { commandNames } from '../../../src/app/chat/commands/command-table.ts'
import { until } from '../../support/until.ts'
import { readRows, titleOf } from '../matrix/table.ts'
import { callerNames, codes } from './callers.ts'
import { specs } from './rows.ts'
import { runChatRow } from './run.ts'
import { openChatMatrixSetup, type ChatMatrixSetup } from './setup.ts'

const rows = readRows(join(import.meta.dirname, 'table.txt'), callerNames, codes)

describe('S9 who may do what in chats', () => {
  let setup: ChatMatrixSetup
  beforeAll(async () => {
    setup = await openChatMatrixSetup()
  })
  afterAll(() => setup?.[Symbol.asyncDispose]())

  it('S9 every command and every button has a row, and every row is run', async () => {
    const { people } = await setup.cast()
    people.memb.commands('help')
    const help = await until(() => people.memb.told().at(-1), { what: 'the commands' })
    const { text } = JSON.parse(help) as { text: string }
    const commands = [...text.matchAll(/^`([a-z]+)[ `]/gm)].map(([, name]) => `/signalbox ${name}`)
    const buttons = [...askVerbs.map((verb) => `ask ${verb}`), ...alertVerbs.map((verb) => `alert ${verb}`)]
    const replies = [...askVerbs, 'option'].map((verb) => `reply ${verb}`)
    const written = new Set(rows.map(({ name }) => name))
    expect(commands.toSorted()).toEqual(commandNames.map((name) => `/signalbox ${name}`).toSorted())
    expect([...commands, ...buttons, ...replies, 'ask option', 'pick'].filter((name) => !written.has(name))).toEqual([])
    expect(rows.map(titleOf).filter((title) => !(title in specs))).toEqual([])
    expect(Object.keys(specs).filter((title) => !rows.map(titleOf).includes(title))).toEqual([])
  })

  it('S9 each row says what all 13 kinds of callers get; only bots lack something to press', () => {
    const without = ({ cells }: (typeof rows)[number]) => callerNames.filter((caller) => cells[caller] === 'n/a')
    expect(callerNames).toHaveLength(13)
    expect(rows.map((row) => [titleOf(row), without(row).filter((caller) => caller !== 'agnt')])).toEqual(
      rows.map((row) => [titleOf(row), []]),
    )
  })

  it.each(rows.map((row) => [titleOf(row), row] as const))('S9 %s', async (title, row) => {
    const spec = specs[title]
    expect(spec && (await runChatRow(title, row, spec, setup))).toEqual([])
  })
})
