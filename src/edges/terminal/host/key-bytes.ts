import { fail, ok, type Result } from '../../../lib/result.ts'

const named: Readonly<Record<string, string>> = {
  enter: '\r',
  return: '\r',
  tab: '\t',
  escape: '\x1b',
  esc: '\x1b',
  space: ' ',
  backspace: '\x7f',
  delete: '\x1b[3~',
  insert: '\x1b[2~',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  'shift-tab': '\x1b[Z',
  f1: '\x1bOP',
  f2: '\x1bOQ',
  f3: '\x1bOR',
  f4: '\x1bOS',
  f5: '\x1b[15~',
  f6: '\x1b[17~',
  f7: '\x1b[18~',
  f8: '\x1b[19~',
  f9: '\x1b[20~',
  f10: '\x1b[21~',
  f11: '\x1b[23~',
  f12: '\x1b[24~',
}
const cursorKeys: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', home: 'H', end: 'F' }

/** The bytes that keys send. Cursor keys differ in application mode. */
export function bytesOf(keys: readonly string[], applicationCursor: boolean): Result<string> {
  let bytes = ''
  for (const key of keys) {
    // `page_up` and `ctrl_c` are accepted too; a last `_` is the key itself.
    const dashed = key.replaceAll(/_(?=.)/gsu, '-')
    const name = dashed.toLowerCase()
    const cursorKey = cursorKeys[name]
    const control = /^(?:ctrl|c)-([a-z\\\]^_[@])$/.exec(name)?.[1]
    const alt = /^(?:alt|m)-(.)$/iu.exec(dashed)?.[1]
    if (cursorKey !== undefined) bytes += `\x1b${applicationCursor ? 'O' : '['}${cursorKey}`
    else if (named[name] !== undefined) bytes += named[name]
    else if (control !== undefined) bytes += String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f)
    else if (alt !== undefined) bytes += `\x1b${alt}`
    else if (/^.$/su.test(key)) bytes += key
    else return unknownKey(key)
  }
  return ok(bytes)
}

const unknownKey = (key: string) =>
  fail({
    kind: 'invalid',
    code: 'unknown_key',
    message: `Unknown key ${JSON.stringify(key)}.`,
    hint: `Keys are single characters, ctrl-c, alt-x, ${[...Object.keys(cursorKeys), ...Object.keys(named)].join(', ')}.`,
  })
