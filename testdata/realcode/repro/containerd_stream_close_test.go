//go:build ignore

// A stream is closed twice.
//
// Project: containerd 301026e58c619e63d09c0ec411012e54c0124b03
// Package: ./plugins/services/streaming
// Finding: 74ce1959a0a2, plugins/services/streaming/service.go:133
// Found: 54
//
// Written by atomvet repro.

// This test shows the finding 74ce1959a0a2 of atomvet, at plugins/services/streaming/service.go:133:
//
// ss.cc.closed was checked at line 130, but the atomic operations are separate and another goroutine may change it before this write (two calls of the exported (*serviceStream).Close may do this at once)
//
// No serial order has its outcome:
//
//	interleaved:
//		state [&1{s:&2{_:0} cc:chan with 0}]
//		unit returns [nil]
//		rival panics: close of closed channel
//	unit first:
//		state [&1{s:&2{_:0} cc:chan with 0}]
//		unit returns [nil]
//		rival returns [nil]
//	rival first:
//		state [&1{s:&2{_:0} cc:chan with 0}]
//		unit returns [nil]
//		rival returns [nil]
//
// atomvet repro -finding=74ce1959a0a2 -test=FILE PACKAGE runs it again: that adds the switch.

package streaming

import (
	context "context"
	metadata "google.golang.org/grpc/metadata"
	anypb "google.golang.org/protobuf/types/known/anypb"
	"testing"

	"github.com/containerd/containerd/v2/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("0", func() (unit, rival func() []any, state any) {
		x1 := &serviceStream{s: &atomvetFake1{}, cc: make(chan struct{}, 16)}
		return func() []any { r1 := x1.Close(); return []any{r1} }, func() []any { r1 := x1.Close(); return []any{r1} }, []any{x1}
	}); err != nil {
		t.Error(err)
	}
}

type atomvetFake1 struct{ _ int }

func (*atomvetFake1) Context() (r1 context.Context) { return }

func (*atomvetFake1) Recv() (r1 *anypb.Any, r2 error) { return }

func (*atomvetFake1) RecvMsg(any) (r1 error) { return }

func (*atomvetFake1) Send(*anypb.Any) (r1 error) { return }

func (*atomvetFake1) SendHeader(metadata.MD) (r1 error) { return }

func (*atomvetFake1) SendMsg(any) (r1 error) { return }

func (*atomvetFake1) SetHeader(metadata.MD) (r1 error) { return }

func (*atomvetFake1) SetTrailer(metadata.MD) { return }
