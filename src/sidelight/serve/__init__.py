"""Decisions over HTTP: what `live` does, for callers in any language, who may not be trusted.

settings    what an operator chose: limits, hosts, where things are kept
refusals    every answer that is no success: RFC 9457, from a closed list
tokens      who may call: hashed secrets in a file, with a role, experiments and an expiry
gate        the one place that says who may do what
guard       what holds for every request: host, origin, token, headers, log
wire        the bodies of requests and answers
shelf       the experiments of one store
hot         decide and observe, the two routes that are called for every decision
routes      all others
streams     events as they come
ofrep       one decision for an OpenFeature client
analysing   structure and bounds, computed in a child with limits
metrics     what a Prometheus server reads
document    the OpenAPI document
connections who may connect, and for how long without saying anything
app, run    all of it put together, and started
"""
