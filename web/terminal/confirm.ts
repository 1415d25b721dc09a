/** A second tap shortly after the first is the same tap for a nervous finger. */
const nervousMs = 500

/** Where an answer may do harm a button is tapped twice: it says so after the first. */
export function createConfirm(): { tap(button: HTMLButtonElement, act: () => void): void; forget(): void } {
  let armed: { button: HTMLButtonElement; label: string; at: number } | null = null
  const forget = () => {
    if (!armed) return
    armed.button.textContent = armed.label
    armed.button.classList.remove('armed')
    armed = null
  }
  return {
    tap(button, act) {
      if (armed?.button === button) {
        if (performance.now() - armed.at < nervousMs) return
        forget()
        act()
        return
      }
      forget()
      const label = button.textContent ?? ''
      armed = { button, label, at: performance.now() }
      button.textContent = `${label}: tap again`
      button.classList.add('armed')
    },
    forget,
  }
}
