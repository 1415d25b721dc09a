/** A key hint, hidden on touch devices. */
export const Kbd = ({ children }: { children: string }) => (
  <kbd
    aria-hidden="true"
    className="hidden min-w-5 rounded border border-current/30 px-1 text-center font-mono text-[0.72rem] leading-4.5 opacity-90 pointer-fine:inline-block"
  >
    {children}
  </kbd>
)
