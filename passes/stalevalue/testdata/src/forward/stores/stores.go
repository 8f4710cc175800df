// Package stores has a table of constructors, which others fill.
package stores

type Store interface{ Incr(k string) }

var Factories = map[string]func() Store{}
