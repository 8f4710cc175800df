//go:build ignore

// A request in flight is not counted.
//
// Project: caddy 0cf03d32f7d99cf160d5375e8a40fbe3d910d515
// Package: ./modules/caddyhttp/reverseproxy
// Finding: bab6fac0a202, modules/caddyhttp/reverseproxy/reverseproxy.go:61
// Found: 49
//
// Written by atomvet repro.

// This test shows the finding bab6fac0a202 of atomvet, at modules/caddyhttp/reverseproxy/reverseproxy.go:61:
//
// inFlightRequests[address] was checked at line 59, but the atomic operations are separate and another goroutine may change it before this write (inFlightRequests is also written by incInFlightRequest, reverseproxy.go:54, which the exported (*Handler).ServeHTTP calls)
//
// No serial order has its outcome:
//
//	interleaved:
//		state [&1map[]]
//		unit returns []
//		rival returns []
//	unit first:
//		state [&1map["a":&21]]
//		unit returns []
//		rival returns []
//	rival first:
//		state [&1map["a":&21]]
//		unit returns []
//		rival returns []
//
// atomvet repro -finding=bab6fac0a202 -test=FILE PACKAGE runs it again: that adds the switch.

package reverseproxy

import (
	"testing"

	"github.com/caddyserver/caddy/v2/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("0", func() (unit, rival func() []any, state any) {
		atomvetrt.Soon(func() { incInFlightRequest(string("a")) })
		atomvetrt.Soon(func() { decInFlightRequest(string("a")) })
		return func() []any { decInFlightRequest(string("a")); return nil }, func() []any { incInFlightRequest(string("a")); return nil }, []any{&inFlightRequests}
	}); err != nil {
		t.Error(err)
	}
}
