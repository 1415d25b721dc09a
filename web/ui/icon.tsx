/** Drawn on 24 × 24 with one stroke; decorative, so hidden from screen readers. */
const shapes = {
  inbox: 'M3 13h5l1.5 3h5L16 13h5M3 13l3-8h12l3 8v6H3z',
  sessions: 'M4 5h16v11H9l-5 4z',
  chat: 'M3 4h13v9H8l-5 4zM19 9h2v11l-4-3h-6',
  terminal: 'M4 5h16v14H4zM7.5 9.5l3 2.5-3 2.5M13 15h4',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.5 4.5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 5v4M11 15v4',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  back: 'M14 6l-6 6 6 6',
  next: 'M10 6l6 6-6 6',
  down: 'M6 10l6 6 6-6',
  up: 'M6 14l6-6 6 6',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  undo: 'M8 8H15a5 5 0 0 1 0 10H9M8 8l4-4M8 8l4 4',
  alert: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4.5l3 2',
  file: 'M7 3h7l4 4v14H7zM14 3v4h4',
  clip: 'M19 11l-7.5 7.5a4.5 4.5 0 0 1-6.4-6.4L13 4.3a3 3 0 0 1 4.2 4.2l-7.8 7.8a1.4 1.4 0 0 1-2-2L14 7.7',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4',
  key: 'M14 10a4 4 0 1 0-3.5 4L13 16.5V19h2.5v-2H18v-3.5L13.9 11',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c1-5 4-6.5 8-6.5s7 1.5 8 6.5',
  play: 'M8 5l11 7-11 7z',
  pause: 'M8 5v14M16 5v14',
  stop: 'M6 6h12v12H6z',
  send: 'M4 12l16-8-5 16-3.5-6.5z',
  branch: 'M7 4v16M7 14c8 0 10-2 10-8M17 4.5v.01M7 20v.01',
  pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6',
  archive: 'M4 5h16v4H4zM5 9v10h14V9M10 13h4',
  flag: 'M6 21V4h12l-3 4 3 4H6',
  refresh: 'M19 12a7 7 0 1 1-2-5M17 3v4h-4',
  phone: 'M8 3h8v18H8zM11 18h2',
  list: 'M4 6h16M4 12h16M4 18h16',
  keyboard: 'M3 6.5h18v11H3zM7 10.5h.01M11 10.5h.01M15 10.5h.01M8 14h8',
  chart: 'M4 20h16M6.5 16v-5M12 16V5M17.5 16V9',
  jump: 'M5 18l9-9M8 8h7v7M18 5v.01M20 12v.01M12 20v.01',
  wave: 'M3 12c3-6 6-6 9 0s6 6 9 0',
} as const
export type IconName = keyof typeof shapes

export const Icon = ({ name, className = 'size-5' }: { name: IconName; className?: string }) => (
  <svg
    viewBox="0 0 24 24"
    className={`shrink-0 ${className}`}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={shapes[name]} />
  </svg>
)
