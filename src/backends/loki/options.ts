import { z } from 'zod'
import { basic, bothOrNeither, headers, httpUrl } from '../fields.ts'

export const Options = z
  .strictObject({
    url: httpUrl.meta({
      title: 'Address',
      description: 'The whole address of the push API, such as https://loki.example.com/loki/api/v1/push',
    }),
    headers,
    ...basic,
  })
  .superRefine(bothOrNeither)
  .meta({ title: 'Loki', description: 'The push API of Grafana Loki: one stream a source.' })
