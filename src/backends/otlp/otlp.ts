/** OTLP logs over HTTP in protobuf: a collector, or whatever else takes them. */
import { defineKind } from '../kind.ts'
import { Options } from './options.ts'
import { createOtlpReceiver } from './receiver.ts'

export const otlp = defineKind({
  type: 'otlp',
  options: Options,
  secrets: [],
  batch: { events: 1_000, bytes: 2_000_000, inFlight: 4 },
  connect: ({ flatten_to_attributes, ...config }, surroundings) =>
    createOtlpReceiver({ ...config, isFlat: flatten_to_attributes }, surroundings),
})
