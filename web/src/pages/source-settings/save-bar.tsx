/** Stands at the bottom as long as something is not saved, whichever tab is open. */
import { useBlocker } from '@tanstack/react-router'
import { Button } from '../../design/button.tsx'
import { ConfirmDialog } from '../../design/confirm-dialog.tsx'
import type { Draft } from './draft.ts'

export function SaveBar({ draft }: { draft: Draft }) {
  const count = Object.keys(draft.changes).length
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => count > 0 && current.pathname !== next.pathname,
    enableBeforeUnload: () => count > 0,
    withResolver: true,
  })
  return (
    <>
      {count > 0 && (
        <div className="sticky bottom-0 z-10 mt-auto border-t border-line bg-raised px-4 py-3 shadow-high wide:px-6">
          <div className="flex flex-wrap items-center gap-3">
            <p className="min-w-0 grow basis-60 break-words">
              {draft.sentence === null ? (
                <span className="text-soft">
                  {count === 1 ? '1 setting is' : `${count} settings are`} changed and not saved.
                </span>
              ) : (
                <span role="alert" className="text-danger">
                  Not saved: {draft.sentence}
                </span>
              )}
            </p>
            <Button onClick={draft.discard} disabled={draft.isSaving}>
              Discard
            </Button>
            <Button kind="primary" isBusy={draft.isSaving} onClick={draft.save}>
              Save changes
            </Button>
          </div>
        </div>
      )}
      <ConfirmDialog
        isOpen={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title="Leave without saving?"
        action="Leave"
        onConfirm={() => blocker.proceed?.()}
      >
        What you changed in these settings is not saved.
      </ConfirmDialog>
    </>
  )
}
