// A replacement for Kubernetes' client library. Helm's linter and template engine import that library only to look up
// objects in a cluster, which the tests do not have, and for the types of all APIs. Compiling it takes two minutes of
// processor time, and this replacement almost none.
module k8s.io/client-go

go 1.26.0
