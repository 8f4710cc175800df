//go:build ignore

// Metrics of a backend are lost (SetCPUUtilization).
//
// Project: grpc-go 4793ad0474669eafbd5346c8a3d098fdfa542498
// Package: ./orca
// Finding: 5fe8cbe396e4, orca/server_metrics.go:206
// Found: 53
//
// Written by atomvet repro.

// This test shows the finding 5fe8cbe396e4 of atomvet, at orca/server_metrics.go:206:
//
// s.state was read at line 204, but the atomic operations are separate and an update by another goroutine is lost by this write (serverMetricsRecorder.state is also written by (*serverMetricsRecorder).DeleteCPUUtilization, server_metrics.go:214, which is exported)
//
// No serial order has its outcome:
//
//	interleaved:
//		state [&1{state:&2{CPUUtilization:1 MemUtilization:-1 AppUtilization:-1 QPS:-1 EPS:-1 Utilization:map[] RequestCost:map[] NamedMetrics:map[]}}]
//		unit returns []
//		rival returns []
//	unit first:
//		state [&1{state:&2{CPUUtilization:1 MemUtilization:1 AppUtilization:-1 QPS:-1 EPS:-1 Utilization:map[] RequestCost:map[] NamedMetrics:map[]}}]
//		unit returns []
//		rival returns []
//	rival first:
//		state [&1{state:&2{CPUUtilization:1 MemUtilization:1 AppUtilization:-1 QPS:-1 EPS:-1 Utilization:map[] RequestCost:map[] NamedMetrics:map[]}}]
//		unit returns []
//		rival returns []
//
// atomvet repro -finding=5fe8cbe396e4 -test=FILE PACKAGE runs it again: that adds the switch.

package orca

import (
	"testing"

	"google.golang.org/grpc/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("0", func() (unit, rival func() []any, state any) {
		x1 := newServerMetricsRecorder()
		return func() []any { x1.SetCPUUtilization(float64(1)); return nil }, func() []any { x1.SetMemoryUtilization(float64(1)); return nil }, []any{x1}
	}); err != nil {
		t.Error(err)
	}
}
