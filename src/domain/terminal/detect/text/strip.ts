const drawnLeft = /^\s*[│┃║▌▐┆┊╎]/u
const drawnSide = /[│┃║▌▐┆┊╎]/u
const barInside = /^[│┃║▌▐┆┊╎█░▒]$/u
const onlyDrawing = /^[\s\u2500-\u259f|+=_\-~·•]*$/

/** A row of a drawn box without its borders; spaces keep the text in its columns. */
export function withoutBorders(text: string): string {
  const shown = text.trimEnd()
  const last = shown.slice(-1)
  const inBox = drawnLeft.test(text)
  if (inBox || (last === '|' && /^\s*\|/.test(text))) {
    const open = text.replace(inBox ? drawnLeft : /^\s*\|/, (found) => ' '.repeat(found.length))
    return drawnSide.test(last) || last === '|' ? open.slice(0, shown.length - 1).trimEnd() : open
  }
  if (/^\s*\*\s?\S.*\s\*$/u.test(shown)) return shown.replace('*', ' ').slice(0, -1).trimEnd()
  // A scroll bar on the right is separated from the text by a space.
  return barInside.test(last) && /\s/.test(shown.slice(-2, -1)) ? shown.slice(0, -1).trimEnd() : text
}

/** Nothing but lines, corners, shades and spaces. */
export const isDrawing = (text: string): boolean => onlyDrawing.test(text)

/** What prompt libraries draw in front of a question. */
export const decoration = /^(?:[?◆◇●○▸▶❯›✔✖■▲⚠│┃├└┌]|\[\?\]|\(\?\))\s+/u
export const question = /^(?:\?|◆|\[\?\]|❓|▲)\s+\S/u

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
