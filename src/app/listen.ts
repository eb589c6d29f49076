import type { FastifyInstance } from 'fastify'
import { Fault } from '../base/faults.ts'
import type { Settings } from '../settings.ts'

export async function listen(server: FastifyInstance, { host, port }: Settings): Promise<string> {
  try {
    return await server.listen({ host, port })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'EADDRINUSE')
      throw new Fault(
        'setup',
        `Port ${port} on ${host} is already in use. Stop the other program, or set MILLRACE_PORT.`,
      )
    if (code === 'EACCES')
      throw new Fault('setup', `This user may not listen on port ${port}. Set MILLRACE_PORT to one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Fault('setup', `MILLRACE_HOST ${host} is not an address of this machine.`)
    throw error
  }
}
