//go:build ignore

// An index is saved with the term of another.
//
// Project: etcd c34dc7ee0048fd2bcc44d50beff002e5e8069b69
// Package: ./server/etcdserver/cindex
// Finding: 6034b43f7e94, server/etcdserver/cindex/cindex.go:119
// Found: 23
//
// The apply loop sets both while the periodic commit saves them.

package cindex

import (
	"testing"

	"go.etcd.io/etcd/server/v3/atomvetrt"
	betesting "go.etcd.io/etcd/server/v3/storage/backend/testing"
	"go.etcd.io/etcd/server/v3/storage/schema"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("cindex", func() (unit, rival func() []any, state any) {
		be, _ := betesting.NewDefaultTmpBackend(t)
		t.Cleanup(func() { be.Close() })
		tx := be.BatchTx()
		tx.Lock()
		schema.UnsafeCreateMetaBucket(tx)
		tx.Unlock()
		ci := NewConsistentIndex(be).(*consistentIndex)
		ci.SetConsistentIndex(7, 1)
		return func() []any {
				tx.Lock()
				defer tx.Unlock()
				ci.UnsafeSave(tx)
				index, term := schema.UnsafeReadConsistentIndex(tx)
				return []any{"index and term that are saved", index, term}
			},
			func() []any { ci.SetConsistentIndex(8, 2); return nil },
			nil
	}); err != nil {
		t.Error(err)
	}
}
