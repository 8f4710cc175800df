//go:build ignore

// The term of a node goes backwards.
//
// Project: raft 1837036daf50bd973bcb0f3fc536b2d451cebf5d
// Package: .
// Finding: 25fcf50e8404, raft.go:2006
// Found: 42
//
// A heartbeat of a later term, which the transport handles itself, comes after electSelf has read the
// term.

package raft

import (
	"testing"
	"time"

	"github.com/hashicorp/raft/atomvetrt"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("term", func() (unit, rival func() []any, state any) {
		conf := inmemConfig(t)
		conf.LocalID = "self"
		// The node does not begin an election by itself.
		conf.HeartbeatTimeout, conf.ElectionTimeout, conf.LeaderLeaseTimeout = time.Hour, time.Hour, time.Hour
		store := NewInmemStore()
		_, trans := NewInmemTransport("self")
		r := atomvetrt.Must(NewRaft(conf, &MockFSM{}, store, store, NewInmemSnapshotStore(), trans))
		t.Cleanup(func() { r.Shutdown() })
		answer := make(chan RPCResponse, 1)
		heartbeat := RPC{
			Command:  &AppendEntriesRequest{RPCHeader: RPCHeader{ProtocolVersion: ProtocolVersionMax, ID: []byte("leader"), Addr: []byte("leader")}, Term: 10},
			RespChan: answer,
		}
		return func() []any {
				r.electSelf()
				return nil
			},
			func() []any {
				r.processHeartbeat(heartbeat)
				return []any{(<-answer).Response.(*AppendEntriesResponse).Success}
			},
			func() any {
				return []any{"term", r.getCurrentTerm(), "on disk", atomvetrt.Must(store.GetUint64(keyCurrentTerm))}
			}
	}); err != nil {
		t.Error(err)
	}
}
