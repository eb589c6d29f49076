import { Fault } from '../base/faults.ts'

/** Why a listener could not be started, in words for who set it up. */
export function listenFault(code: string, host: string, port: number, setting: string): Fault {
  switch (code) {
    case 'EADDRINUSE':
      return new Fault(
        'setup',
        `Port ${port} on ${host} is already in use. Stop the other program, or change ${setting}.`,
      )
    case 'EACCES':
      return new Fault('setup', `This user may not listen on port ${port}. Set ${setting} to one above 1023.`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Fault('setup', `MILLRACE_HOST ${host} is not an address of this machine.`)
  }
  return new Fault('setup', `Port ${port} of ${setting} cannot be opened (${code}).`)
}
