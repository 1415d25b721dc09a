const serverDelayMs = 2

/** Runs work for the server when people who are attached have what they wait for; at the same moments in the same order. */
export function afterPeople(areAttached: boolean, work: () => void): void {
  if (areAttached) setTimeout(work, serverDelayMs)
  else setImmediate(work)
}
