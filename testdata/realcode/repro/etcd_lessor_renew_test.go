//go:build ignore

// A lease is renewed by a member that no longer leads.
//
// Project: etcd c34dc7ee0048fd2bcc44d50beff002e5e8069b69
// Package: ./server/lease
// Finding: 3b1c812ef22f, server/lease/lessor.go:449
// Found: 6
//
// Demote comes after Renew has seen that the member leads: Renew returns success, and the lease gets an
// expiry at a member where leases have none.

package lease

import (
	"context"
	"testing"

	"go.uber.org/zap"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/atomvetrt"
	betesting "go.etcd.io/etcd/server/v3/storage/backend/testing"
)

func TestAtomvet(t *testing.T) {
	if err := atomvetrt.Try("lessor", func() (unit, rival func() []any, state any) {
		be, _ := betesting.NewDefaultTmpBackend(t)
		le := newLessor(zap.NewNop(), be, clusterLatest(), LessorConfig{MinLeaseTTL: minLeaseTTL})
		t.Cleanup(func() { le.Stop(); be.Close() })
		le.SetCheckpointer(func(context.Context, *pb.LeaseCheckpointRequest) error { return nil })
		le.Promote(0)
		l := atomvetrt.Must(le.Grant(1, 1000))
		return func() []any {
				ttl, err := le.Renew(1)
				return []any{ttl, err}
			},
			func() []any { le.Demote(); return nil },
			func() any { return []any{"leads", le.isPrimary(), "without expiry", l.Demoted()} }
	}); err != nil {
		t.Error(err)
	}
}
