import { Fault } from '../../base/faults.ts'
import { additionalProjects, type BigqueryOptions } from './options.ts'

const RESERVATION = /^projects\/([a-z0-9.:-]+)\/locations\/([A-Za-z0-9-]+)\/reservations\/([a-z][a-z0-9-]{0,63})$/

/** Of this project, or of one that the backend names. */
export function checkReservation(reservation: string, options: BigqueryOptions): void {
  const [, project, location] = RESERVATION.exec(reservation) ?? []
  if (project === undefined || location === undefined)
    throw new Fault(
      'bad_request',
      'The reservation must be written projects/<project>/locations/<location>/reservations/<reservation>.',
    )
  if (project !== options.project_id && !additionalProjects(options).includes(project))
    throw new Fault('bad_request', `The project ${project} is none of the additional projects of this backend.`)
  if (location.toLowerCase() !== options.location.toLowerCase())
    throw new Fault(
      'bad_request',
      `The reservation is in ${location}, and the data of this backend in ${options.location}.`,
    )
}
