/** Shown while writing an answer to an ask that is no longer open. The text stays, so it can be copied. */
export const NoLongerOpen = ({ over }: { over: string | null }) =>
  over === null ? null : (
    <p role="alert" className="rounded-lg bg-wait-soft px-3 py-2 text-wait">
      {over}. Your answer can no longer be sent.
    </p>
  )
