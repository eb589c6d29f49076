/** OTLP in protobuf by another hand: the published messages, written out for `protobufjs`. */
import protobuf from 'protobufjs'

const PROTO = `
syntax = "proto3";
message AnyValue { oneof value { string stringValue = 1; bool boolValue = 2; int64 intValue = 3; double doubleValue = 4;
  ArrayValue arrayValue = 5; KeyValueList kvlistValue = 6; bytes bytesValue = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Resource { repeated KeyValue attributes = 1; uint32 droppedAttributesCount = 2; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 droppedAttributesCount = 4; }

message LogsRequest { repeated ResourceLogs resourceLogs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scopeLogs = 2; string schemaUrl = 3; }
message ScopeLogs { Scope scope = 1; repeated LogRecord logRecords = 2; string schemaUrl = 3; }
message LogRecord { fixed64 timeUnixNano = 1; fixed64 observedTimeUnixNano = 11; int32 severityNumber = 2; string severityText = 3;
  AnyValue body = 5; repeated KeyValue attributes = 6; uint32 droppedAttributesCount = 7; fixed32 flags = 8; bytes traceId = 9;
  bytes spanId = 10; string eventName = 12; }

message TracesRequest { repeated ResourceSpans resourceSpans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; string schemaUrl = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schemaUrl = 3; }
message Span { bytes traceId = 1; bytes spanId = 2; string traceState = 3; bytes parentSpanId = 4; fixed32 flags = 16; string name = 5;
  int32 kind = 6; fixed64 startTimeUnixNano = 7; fixed64 endTimeUnixNano = 8; repeated KeyValue attributes = 9;
  repeated SpanEvent events = 11; repeated Link links = 13; Status status = 15; }
message SpanEvent { fixed64 timeUnixNano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes traceId = 1; bytes spanId = 2; }
message Status { string message = 2; int32 code = 3; }

message MetricsRequest { repeated ResourceMetrics resourceMetrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scopeMetrics = 2; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; }
message Metric { string name = 1; string description = 2; string unit = 3; Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9;
  ExponentialHistogram exponentialHistogram = 10; Summary summary = 11; }
message Gauge { repeated NumberPoint dataPoints = 1; }
message Sum { repeated NumberPoint dataPoints = 1; int32 aggregationTemporality = 2; bool isMonotonic = 3; }
message Histogram { repeated HistogramPoint dataPoints = 1; int32 aggregationTemporality = 2; }
message ExponentialHistogram { repeated ExponentialPoint dataPoints = 1; int32 aggregationTemporality = 2; }
message Summary { repeated SummaryPoint dataPoints = 1; }
message NumberPoint { repeated KeyValue attributes = 7; fixed64 startTimeUnixNano = 2; fixed64 timeUnixNano = 3;
  oneof value { double asDouble = 4; sfixed64 asInt = 6; } }
message HistogramPoint { repeated KeyValue attributes = 9; fixed64 startTimeUnixNano = 2; fixed64 timeUnixNano = 3; fixed64 count = 4;
  optional double sum = 5; repeated fixed64 bucketCounts = 6; repeated double explicitBounds = 7; optional double min = 11;
  optional double max = 12; }
message ExponentialPoint { repeated KeyValue attributes = 1; fixed64 startTimeUnixNano = 2; fixed64 timeUnixNano = 3; fixed64 count = 4;
  optional double sum = 5; sint32 scale = 6; fixed64 zeroCount = 7; Buckets positive = 8; Buckets negative = 9;
  optional double min = 12; optional double max = 13; }
message Buckets { sint32 offset = 1; repeated uint64 bucketCounts = 2; }
message SummaryPoint { repeated KeyValue attributes = 7; fixed64 startTimeUnixNano = 2; fixed64 timeUnixNano = 3; fixed64 count = 4;
  double sum = 5; repeated Quantile quantileValues = 6; }
message Quantile { double quantile = 1; double value = 2; }

message LogsResponse { PartialSuccess partialSuccess = 1; }
message PartialSuccess { int64 rejected = 1; string errorMessage = 2; }
message Status3 { int32 code = 1; string message = 2; }
`

const root = protobuf.parse(PROTO, { keepCase: true }).root

type Json = ReturnType<typeof JSON.parse>

/** A message given in its JSON form, in which ids are hex. */
export function encodeMessage(type: string, value: object): Buffer {
  const hexless = JSON.parse(JSON.stringify(value), (name, inner: Json) =>
    /^(traceId|spanId|parentSpanId)$/.test(name) ? Buffer.from(inner, 'hex').toString('base64') : inner,
  )
  const kind = root.lookupType(type)
  return Buffer.from(kind.encode(kind.fromObject(hexless)).finish())
}

export function decodeMessage(type: string, bytes: Uint8Array): Json {
  const kind = root.lookupType(type)
  return kind.toObject(kind.decode(bytes), { longs: String, bytes: Buffer })
}
