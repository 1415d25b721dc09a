import { describe, expect, it } from 'vitest'
import { createOldOutput } from './old-output.ts'

const esc = '\u001B'
const show = (pieces: readonly string[], to: number): string => {
  const old = createOldOutput(to)
  let at = 0
  return pieces
    .map((piece) => {
      const bytes = Buffer.from(piece)
      const shown = old(bytes, at)
      at += bytes.length
      return Buffer.from(shown).toString()
    })
    .join('')
}

describe('output from before attaching', () => {
  const asked = [`${esc}[c`, `${esc}[>0c`, `${esc}[6n`, `${esc}[?6n`, `${esc}[18t`, `${esc}[?2026$p`, `${esc}[?u`]
  const more = [`${esc}[>q`, `${esc}]11;?\u0007`, `${esc}]4;1;?${esc}\\`, `${esc}P+q544e${esc}\\`, `${esc}P$qm${esc}\\`]

  it.each([...asked, ...more])('is shown without %j', (question) => {
    const text = `grüße ${question}${esc}[1mbold${esc}[0m`
    const length = Buffer.byteLength(text)
    expect(show([text], length)).toBe(`grüße ${esc}[1mbold${esc}[0m`)
    for (let cut = 1; cut < text.length; cut += 1)
      expect(show([text.slice(0, cut), text.slice(cut)], length)).toBe(`grüße ${esc}[1mbold${esc}[0m`)
  })

  it('keeps everything else: titles, colours, modes, the size it sets', () => {
    const text = `${esc}]0;a title\u0007${esc}[?1049h${esc}[8;24;80t${esc}[38;5;1mred${esc}[2 q${esc}P1$r0m${esc}\\`
    expect(show([text], text.length)).toBe(text)
  })

  it('ends where we attached: later queries are passed on', () => {
    const text = `old${esc}[c`
    expect(show([text, `${esc}[cnew`], text.length)).toBe(`old${esc}[cnew`)
    expect(show([`${text}${esc}[6nnew`], text.length)).toBe(`old${esc}[6nnew`)
  })
})
