/** An element of the page's frame. */
export function element<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`this page has no ${id}`)
}

/** The same where the frame may lack it. */
export function elementOrNone<T extends HTMLElement>(id: string, type: new () => T): T | null {
  const found = document.getElementById(id)
  return found instanceof type ? found : null
}

/** Words of programs go in as text, never as markup. */
export function say(where: HTMLElement, text: string): void {
  if (where.textContent !== text) where.textContent = text
  where.hidden = text === ''
}
