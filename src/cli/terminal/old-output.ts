/** Old output is shown without the queries in it: our terminal would answer them again. */
export type OldOutput = (bytes: Uint8Array, offset: number) => Uint8Array

// Queries for terminal kind, cursor position, size, colours and modes.
const questions =
  // oxlint-disable-next-line no-control-regex
  /\x1b\[[?>=]?[\d;]*c|\x1b\[\??[\d;]*n|\x1b\[\??\d+\$p|\x1b\[(?:1[1345689]|2[01])t|\x1b\[\?u|\x1b\[>\d*q|\x1b\][\w;]*;\?(?:\x07|\x1b\\)|\x1bP[+$]q[^\x1b]*\x1b\\|\x1bZ|\x05/g
// oxlint-disable-next-line no-control-regex
const begun = /\x1b(?:\[[\d;?>=$]{0,60}|\][\w;?]{0,60}\x1b?|P[^\x1b]{0,200}\x1b?)?$/

/** `to`: where the output ended when we attached. Later output passes unchanged. */
export function createOldOutput(to: number): OldOutput {
  let held = ''
  return (bytes, offset) => {
    if (offset >= to && held === '') return bytes
    const old = Math.max(0, Math.min(bytes.length, to - offset))
    const text = held + Buffer.from(bytes.subarray(0, old)).toString('latin1')
    // A query may be cut in two; bytes after the old output are not part of it.
    held = offset + bytes.length < to ? (begun.exec(text)?.[0] ?? '') : ''
    const whole = text.slice(0, text.length - held.length).replaceAll(questions, '')
    return Buffer.concat([Buffer.from(whole, 'latin1'), bytes.subarray(old)])
  }
}
