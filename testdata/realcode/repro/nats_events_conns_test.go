//go:build atomvet

// A system request ends a server that shuts down (connsRequest).
//
// Project: nats-server 1787eee035cf0253c201fa0f05afad92b6f296dc
// Package: ./server
// Finding: f0bfa729268a, server/events.go:1941
// Found: 51
//
// The request is malformed, so the handler writes to the log by s.sys, which the shutdown has set to nil
// since the handler asked whether events are running: in a server, that ends the process.

package server

import (
	"testing"

	"github.com/nats-io/nats-server/v2/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("connsRequest", func() (unit, rival func() []any, state any) {
		opts := DefaultOptions()
		opts.Port = -1
		opts.NoSystemAccount = false
		s := RunServer(opts)
		if !s.EventsEnabled() {
			panic("events are not enabled")
		}
		t.Cleanup(s.Shutdown)
		return func() []any {
				s.connsRequest(nil, nil, nil, "$SYS.REQ.ACCOUNT.A.CONNS", "", nil, []byte("{"))
				return nil
			},
			func() []any { s.shutdownEventing(); return nil },
			nil
	}); err != nil {
		t.Error(err)
	}
}
