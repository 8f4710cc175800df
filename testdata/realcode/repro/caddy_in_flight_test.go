//go:build ignore

// A request in flight is not counted.
//
// Project: caddy 0cf03d32f7d99cf160d5375e8a40fbe3d910d515
// Package: ./modules/caddyhttp/reverseproxy
// Finding: bab6fac0a202, modules/caddyhttp/reverseproxy/reverseproxy.go:61
// Found: 49
//
// atomvet repro has written the calls; that the map is emptied first was added, as a variable of a package
// keeps what earlier trials have left there.

// No serial order loses the request:
//
//	interleaved:
//		state [&1map[]]
//	unit first, and rival first:
//		state [&1map["a":&21]]

package reverseproxy

import (
	"testing"

	"github.com/caddyserver/caddy/v2/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("0", func() (unit, rival func() []any, state any) {
		inFlightRequests.Clear()
		incInFlightRequest(string("a"))
		return func() []any { decInFlightRequest(string("a")); return nil }, func() []any { incInFlightRequest(string("a")); return nil }, []any{&inFlightRequests}
	}); err != nil {
		t.Error(err)
	}
}
