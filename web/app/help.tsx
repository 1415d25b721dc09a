import { Dialog } from '../ui/dialog.tsx'

const keys: readonly [string, string][] = [
  ['j  k', 'next / previous'],
  ['Enter', 'open'],
  ['a', 'approve / continue / yes'],
  ['r', 'reject, with a reason'],
  ['e', 'reply in your own words'],
  ['x', 'select several'],
  ['u', 'undo the last approval'],
  ['/', 'search'],
  ['n', 'start a session'],
  ['g i', 'inbox'],
  ['g s', 'sessions'],
  ['g t', 'terminals'],
  ['g c', 'catch up'],
  ['g ,', 'settings'],
  ['[  ]', 'previous / next file in a diff'],
  ['Esc', 'back'],
  ['?', 'this help'],
]

export const Help = ({ open, close }: { open: boolean; close: () => void }) => (
  <Dialog open={open} close={close} title="Keyboard">
    <dl className="grid grid-cols-[max-content_1fr] gap-x-5 gap-y-1.5">
      {keys.map(([key, what]) => (
        <div key={key} className="contents">
          <dt className="font-mono text-sm font-semibold whitespace-pre">{key}</dt>
          <dd className="text-soft">{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
