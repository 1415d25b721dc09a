import { useEffect } from 'react'
import { setBadge } from '../push/subscribe.ts'

/** Shows the count on the app icon and in the tab title. */
export function useBadge(count: number): void {
  useEffect(() => {
    setBadge(count)
    const mark = () => {
      const bare = document.title.replace(/^\(\d+\) /, '')
      const wanted = count === 0 ? bare : `(${count}) ${bare}`
      if (document.title !== wanted) document.title = wanted
    }
    mark()
    const title = document.querySelector('title')
    if (!title) return undefined
    const observer = new MutationObserver(mark)
    observer.observe(title, { childList: true })
    return () => observer.disconnect()
  }, [count])
}
