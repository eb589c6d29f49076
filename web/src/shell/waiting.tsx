import { Loading } from '../design/states.tsx'

/** While the code of a page is on its way. */
export function Waiting() {
  return (
    <div className="p-4 wide:p-6">
      <Loading />
    </div>
  )
}
