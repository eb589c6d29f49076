import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits: nobody guesses them, so a plain hash is enough to keep. */
export const newSecretValue = (): string => randomBytes(32).toString('base64url')

export const hashOf = (value: string): string => createHash('sha256').update(value).digest('hex')
